"""Everything that the catalog of a database says about the store, as text that can be compared."""

from typing import Any

from psycopg import sql
from support import Connection

# One query per kind of thing: a name, then what is known of it. No oid and no attribute number may show, because
# two databases that are the same differ in those.
_QUERIES = {
    "schemas": """
        select n.nspname, n.nspowner::regrole, n.nspacl::text, obj_description(n.oid, 'pg_namespace')
          from pg_namespace as n where n.nspname = 'runstore'
    """,
    "relations": """
        select c.oid::regclass, c.relkind, c.relowner::regrole, c.relpersistence, c.reloptions, c.relrowsecurity,
               c.relreplident, c.relispartition, a.amname, c.relacl::text, obj_description(c.oid, 'pg_class')
          from pg_class as c left join pg_am as a on a.oid = c.relam
         where c.relnamespace = %(schema)s
    """,
    "columns": """
        select format('%%s.%%s', c.oid::regclass, a.attname),
               row_number() over (partition by c.oid order by a.attnum),
               format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attcollation::regcollation, a.attidentity,
               a.attgenerated, a.attstorage, a.attcompression, a.attoptions, a.attacl::text,
               pg_get_expr(d.adbin, d.adrelid), col_description(c.oid, a.attnum)
          from pg_class as c
          join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
          left join pg_attrdef as d on d.adrelid = c.oid and d.adnum = a.attnum
         where c.relnamespace = %(schema)s and c.relkind <> 'i'
    """,
    "indexes": """
        select i.indexrelid::regclass, pg_get_indexdef(i.indexrelid), i.indisvalid, i.indisunique, i.indisprimary,
               i.indisreplident, i.indisclustered
          from pg_index as i join pg_class as c on c.oid = i.indexrelid where c.relnamespace = %(schema)s
    """,
    "constraints": """
        select format('%%s.%%s', coalesce(c.conrelid::regclass::text, c.contypid::regtype::text), c.conname), c.contype,
               pg_get_constraintdef(c.oid), c.convalidated, obj_description(c.oid, 'pg_constraint')
          from pg_constraint as c where c.connamespace = %(schema)s
    """,
    "views": """
        select c.oid::regclass, pg_get_viewdef(c.oid)
          from pg_class as c where c.relnamespace = %(schema)s and c.relkind in ('v', 'm')
    """,
    "triggers": """
        select format('%%s.%%s', t.tgrelid::regclass, t.tgname), pg_get_triggerdef(t.oid), t.tgenabled,
               obj_description(t.oid, 'pg_trigger')
          from pg_trigger as t join pg_class as c on c.oid = t.tgrelid
         where c.relnamespace = %(schema)s and not t.tgisinternal
    """,
    "rules": """
        select format('%%s.%%s', r.ev_class::regclass, r.rulename), pg_get_ruledef(r.oid), r.ev_enabled
          from pg_rewrite as r join pg_class as c on c.oid = r.ev_class where c.relnamespace = %(schema)s
    """,
    "policies": """
        select format('%%s.%%s', p.polrelid::regclass, p.polname), p.polcmd, pg_get_expr(p.polqual, p.polrelid)
          from pg_policy as p join pg_class as c on c.oid = p.polrelid where c.relnamespace = %(schema)s
    """,
    "types": """
        select t.oid::regtype, t.typtype, t.typowner::regrole, t.typacl::text, obj_description(t.oid, 'pg_type')
          from pg_type as t where t.typnamespace = %(schema)s
    """,
    "functions": """
        select p.oid::regprocedure, pg_get_functiondef(p.oid), p.proowner::regrole, p.proacl::text,
               obj_description(p.oid, 'pg_proc')
          from pg_proc as p where p.pronamespace = %(schema)s and p.prokind <> 'a'
    """,
    "others": """
        select format('%%s %%s', k.kind, k.name)
          from (
              select 'operator', oprname::text from pg_operator where oprnamespace = %(schema)s
              union all select 'operator class', opcname::text from pg_opclass where opcnamespace = %(schema)s
              union all select 'collation', collname::text from pg_collation where collnamespace = %(schema)s
              union all select 'conversion', conname::text from pg_conversion where connamespace = %(schema)s
              union all select 'statistics', stxname::text from pg_statistic_ext where stxnamespace = %(schema)s
              union all select 'search', cfgname::text from pg_ts_config where cfgnamespace = %(schema)s
              union all select 'aggregate', proname::text from pg_proc
                         where pronamespace = %(schema)s and prokind = 'a'
              union all select 'default privileges', defaclacl::text from pg_default_acl
              union all select 'event trigger', evtname::text from pg_event_trigger
              union all select 'publication', pubname::text from pg_publication
              union all select 'cast', format_type(c.castsource, null) from pg_cast as c
                          join pg_type as t on t.oid in (c.castsource, c.casttarget) where t.typnamespace = %(schema)s
              union all select 'extension', extname::text from pg_extension
              union all select 'schema', nspname::text from pg_namespace
                         where nspname !~ '^pg_' and nspname <> 'runstore_migrations'
          ) as k (kind, name)
    """,
}

Catalog = dict[str, list[tuple[Any, ...]]]


def catalog(connection: Connection) -> Catalog:
    """Return what the database has of the store: definitions, privileges, comments, and the rows of its tables."""
    connection.execute("select set_config('search_path', '', false)")
    row = connection.execute("select coalesce(to_regnamespace('runstore'), 0::oid)::oid").fetchone()
    assert row
    parameters = {"schema": row[0]}
    found: Catalog = {}
    for kind, query in _QUERIES.items():
        rows = connection.execute(query.encode(), parameters)
        found[kind] = sorted(tuple(_text(value) for value in entry) for entry in rows)
    tables = connection.execute(
        "select relname from pg_class where relnamespace = %(schema)s and relkind in ('r', 'p')", parameters
    ).fetchall()
    for (table,) in tables:
        query_rows = sql.SQL("select t::text from runstore.{} as t order by 1").format(sql.Identifier(table))
        found[f"rows of {table}"] = connection.execute(query_rows).fetchall()
    return found


def _text(value: Any) -> str:
    return "-" if value is None else str(value)
