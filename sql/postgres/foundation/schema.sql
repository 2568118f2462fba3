create schema runstore;

comment on schema runstore is
'Append-only run event log. The tables are private; functions and views are the interface.';
