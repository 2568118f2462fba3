-- What several files need. Everything lives in pg_temp and goes with the file's transaction.
\ir event.sql
\ir calls.sql
\ir outcome.sql
\ir store.sql
\ir damage.sql
