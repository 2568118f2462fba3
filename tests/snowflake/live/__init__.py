"""What only a Snowflake account can show: `make test-snowflake-live`.

It runs when these are set, and otherwise says which are missing:

    SNOWFLAKE_ACCOUNT, SNOWFLAKE_USER, SNOWFLAKE_WAREHOUSE, SNOWFLAKE_DATABASE
    SNOWFLAKE_PASSWORD, or SNOWFLAKE_PRIVATE_KEY_FILE (and SNOWFLAKE_PRIVATE_KEY_FILE_PWD, where the key has one)
    SNOWFLAKE_ROLE, where it is not the user's default: it must be allowed to create a schema in the database
    SNOWFLAKE_TABLES=hybrid, to test the variant on hybrid tables instead of the standard one

It makes a schema RUNSTORE_TEST_… of its own, runs the migrations there but for roles, grants and the task, and
drops it at the end, whatever happened. It touches nothing else, and keeps an XSMALL warehouse busy for about an hour.

The cases are functions of an account. tests/snowflake/test_live_suite.py calls them with one that is made of the local
bench, so that they are known to work before somebody pays for them.
"""
