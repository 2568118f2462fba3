-- The four roles that grants are given to. Roles belong to the account: a second store in another database finds them
-- there and shares them, and an installer without CREATE ROLE needs them made beforehand.
CREATE ROLE IF NOT EXISTS RUNSTORE_READER COMMENT = 'runstore: reads events and snapshots';
CREATE ROLE IF NOT EXISTS RUNSTORE_WRITER COMMENT = 'runstore: appends events';
CREATE ROLE IF NOT EXISTS RUNSTORE_WORKER COMMENT = 'runstore: reads, and runs background work';
CREATE ROLE IF NOT EXISTS RUNSTORE_ADMIN COMMENT = 'runstore: everything, settings, bindings and imports included';
