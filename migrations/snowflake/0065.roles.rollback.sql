-- Takes back 0065.roles.

-- Nothing to take back: roles belong to the account, and another store of it may use them.
