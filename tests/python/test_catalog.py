"""What the catalog must say: who may use what, how it is pinned, guarded and explained."""

import re
from collections.abc import Iterator

import psycopg
import pytest
from runstore.embedded import Server
from support import Connection, cloned

READER, WRITER, WORKER, ADMIN = "runstore_reader", "runstore_writer", "runstore_worker", "runstore_admin"
ROLES = (READER, WRITER, WORKER, ADMIN)

# DESIGN.md, "Roles". All forms of a function go together; what is not here is private.
FUNCTIONS = {
    "ack_alert": {ADMIN},
    "append_event": {WRITER, ADMIN},
    "append_events": {WRITER, ADMIN},
    "bind_login": {ADMIN},
    "check_health": {WORKER, ADMIN},
    "detect_gap": {READER, WRITER, WORKER, ADMIN},
    "fetch_events": {READER, WORKER, ADMIN},
    "get_snapshot": {READER, WORKER, ADMIN},
    "idempotency_key": {READER, WRITER, WORKER, ADMIN},
    "list_runs": {READER, WORKER, ADMIN},
    "project_pending": {WORKER, ADMIN},
    "project_snapshot": {WORKER, ADMIN},
    "replay_snapshot": {READER, WORKER, ADMIN},
    "resolve_alert": {ADMIN},
    "resync_run": {WORKER, ADMIN},
    "set_config_value": {ADMIN},
    "unbind_login": {ADMIN},
    "version": {READER, WRITER, WORKER, ADMIN},
}
VIEWS = {
    "alerts": {READER, WORKER, ADMIN},
    "run_event_records": {READER, WORKER, ADMIN},
    "run_snapshots": {READER, WORKER, ADMIN},
}
PRIVATE_VIEWS = {"session_tenants"}
# What an append writes to, inline projection included: on a cluster, each of them is spread by run id.
APPEND_PATH = ["run_events", "run_counters", "alert_log", "due_runs", "run_states", "run_steps"]

EVENT_RECORD = [
    "run_id text",
    "run_seq bigint",
    "event_id uuid",
    "event_type text",
    "step_id text",
    "engine_attempt_id integer",
    "logical_attempt_id integer",
    "tenant_id text",
    "project_id text",
    "environment_id text",
    "plan_id text",
    "plan_version text",
    "idempotency_key text",
    "payload jsonb",
    "emitted_at timestamp with time zone",
    "persisted_at timestamp with time zone",
    "adapter_version text",
    "engine_run_ref jsonb",
    "caused_by_signal_id uuid",
    "parent_event_id uuid",
]

TABLE_PRIVILEGES = "SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER"


@pytest.fixture(scope="module")
def session(server: Server, template: str) -> Iterator[Connection]:
    """A superuser's session; these tests only look."""
    with cloned(server, template) as name, psycopg.connect(server.dsn(name), autocommit=True) as connection:
        yield connection


def test_nothing_is_open_to_public(session: Connection) -> None:
    assert (
        session.execute(
            """
            select o.name, a.privilege_type
              from (
                  select oid::regprocedure::text, coalesce(proacl, acldefault('f', proowner)) from pg_proc
                   where pronamespace = 'runstore'::regnamespace
                  union all
                  select oid::regclass::text, coalesce(relacl, acldefault('r', relowner)) from pg_class
                   where relnamespace = 'runstore'::regnamespace and relkind <> 'c'
                  union all
                  select attrelid::regclass || '.' || attname, attacl from pg_attribute
                   where attrelid in (select oid from pg_class where relnamespace = 'runstore'::regnamespace)
                  union all
                  select nspname, coalesce(nspacl, acldefault('n', nspowner)) from pg_namespace
                   where nspname in ('runstore', 'runstore_migrations')
              ) as o (name, acl)
             cross join aclexplode(o.acl) as a
             where a.grantee = 0
            """
        ).fetchall()
        == []
    )


def test_functions_are_granted_as_the_design_says(session: Connection) -> None:
    rows = session.execute(
        """
        select p.proname, p.oid::regprocedure::text,
               array_agg(a.grantee::regrole::text) filter (where a.grantee <> p.proowner),
               bool_or(a.is_grantable) filter (where a.grantee <> p.proowner)
          from pg_proc as p cross join aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) as a
         where p.pronamespace = 'runstore'::regnamespace
         group by p.oid
        """
    ).fetchall()
    granted = {signature: set(roles or ()) for _, signature, roles, _ in rows}
    assert granted == {signature: FUNCTIONS.get(name, set()) for name, signature, _, _ in rows}
    assert {name for name, *_ in rows} >= set(FUNCTIONS)
    assert not any(grantable for *_, grantable in rows)


def test_views_are_granted_as_the_design_says(session: Connection) -> None:
    rows = session.execute(
        """
        select c.relname,
               array_agg(a.grantee::regrole || ' ' || a.privilege_type) filter (where a.grantee <> c.relowner)
          from pg_class as c cross join aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) as a
         where c.relnamespace = 'runstore'::regnamespace and c.relkind in ('v', 'm')
         group by c.oid
        """
    ).fetchall()
    public = {view: {f"{role} SELECT" for role in roles} for view, roles in VIEWS.items()}
    assert {view: set(grants or ()) for view, grants in rows} == public | {view: set() for view in PRIVATE_VIEWS}


def test_the_schema_is_open_to_the_four_roles_for_use_only(session: Connection) -> None:
    rows = session.execute(
        "select a.grantee::regrole::text, a.privilege_type from pg_namespace as n cross join aclexplode(n.nspacl) as a "
        "where n.nspname = 'runstore' and a.grantee <> n.nspowner"
    ).fetchall()
    assert sorted(rows) == sorted((role, "USAGE") for role in ROLES)


def test_no_role_can_touch_a_table_or_a_sequence(session: Connection) -> None:
    assert (
        session.execute(
            """
            select r.role, c.oid::regclass::text
              from unnest(%s::text[]) as r (role) cross join pg_class as c
             where c.relnamespace = 'runstore'::regnamespace and c.relkind in ('r', 'p', 'S')
               and (
                   has_table_privilege(r.role, c.oid, %s)
                   or has_any_column_privilege(r.role, c.oid, 'SELECT, INSERT, UPDATE, REFERENCES')
               )
            """,
            [list(ROLES), TABLE_PRIVILEGES],
        ).fetchall()
        == []
    )


def test_no_role_can_call_a_private_function(session: Connection) -> None:
    callable_names = session.execute(
        """
        select distinct p.proname
          from unnest(%s::text[]) as r (role) cross join pg_proc as p
         where p.pronamespace = 'runstore'::regnamespace and has_function_privilege(r.role, p.oid, 'EXECUTE')
        """,
        [list(ROLES)],
    ).fetchall()
    assert {name for (name,) in callable_names} == set(FUNCTIONS)


def test_the_roles_can_do_nothing_by_themselves(session: Connection) -> None:
    rows = session.execute(
        "select rolname, rolcanlogin, rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls, "
        "shobj_description(oid, 'pg_authid') is not null from pg_roles where rolname = any(%s)",
        [list(ROLES)],
    ).fetchall()
    assert sorted(rows) == sorted((role, *[False] * 6, True) for role in ROLES)
    members = session.execute(
        "select from pg_auth_members where member in (select oid from pg_roles where rolname = any(%s))", [list(ROLES)]
    )
    assert members.fetchall() == []


def test_every_security_definer_pins_its_search_path(session: Connection) -> None:
    definers = session.execute(
        "select oid::regprocedure::text, proconfig from pg_proc "
        "where pronamespace = 'runstore'::regnamespace and prosecdef"
    ).fetchall()
    assert definers
    pinned = {"search_path=pg_catalog, pg_temp"}
    allowed = pinned | {"plan_cache_mode=force_generic_plan"}
    assert [row for row in definers if not pinned <= set(row[1] or ()) <= allowed] == []


def test_what_roles_can_call_is_security_definer_or_touches_no_table(session: Connection) -> None:
    """Only a body that is parsed at creation tells what it depends on, so the others must be one."""
    invokers = session.execute(
        """
        select p.proname, p.prosqlbody is not null,
               array(
                   select d.refobjid::regclass::text from pg_depend as d
                    where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.refclassid = 'pg_class'::regclass
               )
          from pg_proc as p
         where p.pronamespace = 'runstore'::regnamespace and not p.prosecdef and p.proname = any(%s)
         order by p.proname
        """,
        [list(FUNCTIONS)],
    ).fetchall()
    assert invokers == [("detect_gap", True, []), ("version", True, [])]


def test_everything_has_a_comment(session: Connection) -> None:
    assert (
        session.execute(
            """
            select 'schema ' || nspname from pg_namespace
             where nspname = 'runstore' and obj_description(oid, 'pg_namespace') is null
            union all
            select 'relation ' || oid::regclass from pg_class
             where relnamespace = 'runstore'::regnamespace and relkind <> 'c'
               and obj_description(oid, 'pg_class') is null
            union all
            select 'column ' || c.oid::regclass || '.' || a.attname
              from pg_class as c join pg_attribute as a on a.attrelid = c.oid
             where c.relnamespace = 'runstore'::regnamespace and c.relkind <> 'i' and a.attnum > 0
               and not a.attisdropped and col_description(c.oid, a.attnum) is null
            union all
            select 'type ' || t.oid::regtype from pg_type as t left join pg_class as c on c.oid = t.typrelid
             where t.typnamespace = 'runstore'::regnamespace and t.typelem = 0 and c.relkind is not distinct from 'c'
               and obj_description(t.oid, 'pg_type') is null
            union all
            select 'function ' || oid::regprocedure from pg_proc
             where pronamespace = 'runstore'::regnamespace and obj_description(oid, 'pg_proc') is null
            union all
            select 'trigger ' || t.tgname from pg_trigger as t join pg_class as c on c.oid = t.tgrelid
             where c.relnamespace = 'runstore'::regnamespace and not t.tgisinternal
               and obj_description(t.oid, 'pg_trigger') is null
            """
        ).fetchall()
        == []
    )


def test_the_guard_of_the_log_always_fires(session: Connection) -> None:
    triggers = session.execute(
        "select tgname, tgenabled, tgtype from pg_trigger "
        "where tgrelid = 'runstore.run_events'::regclass and not tgisinternal"
    ).fetchall()
    # tgtype: 2 before, 8 delete, 16 update, 32 truncate; not 1, which would be for each row.
    assert triggers == [("run_events_guard", "A", 2 + 8 + 16 + 32)]


def test_no_trigger_of_ours_can_be_switched_off_by_a_session(session: Connection) -> None:
    triggers = session.execute(
        "select t.tgname from pg_trigger as t join pg_class as c on c.oid = t.tgrelid "
        "where c.relnamespace = 'runstore'::regnamespace and t.tgenabled <> 'A'"
    )
    assert triggers.fetchall() == []


def test_appending_depends_on_nothing_that_spans_runs(session: Connection) -> None:
    tables = [f"runstore.{name}" for name in APPEND_PATH]
    foreign_keys = session.execute(
        "select conname from pg_constraint where contype in ('f', 'x') and "
        "(conrelid = any(%(tables)s::text[]::regclass[]) or confrelid = any(%(tables)s::text[]::regclass[]))",
        {"tables": tables},
    )
    assert foreign_keys.fetchall() == []
    sequences = session.execute(
        "select oid::regclass::text from pg_class where relkind = 'S' and relnamespace = 'runstore'::regnamespace"
    )
    assert sequences.fetchall() == []
    defaults = session.execute(
        "select adrelid::regclass::text, pg_get_expr(adbin, adrelid) from pg_attrdef "
        "where adrelid = any(%s::text[]::regclass[])",
        [tables],
    )
    assert [row for row in defaults.fetchall() if not re.fullmatch(r"\d+|true|false", row[1])] == []
    insert_triggers = session.execute(
        "select tgname from pg_trigger where tgrelid = any(%s::text[]::regclass[]) and tgtype & 4 = 4", [tables]
    )
    assert insert_triggers.fetchall() == []


def test_every_unique_index_of_the_append_path_has_the_run_id(session: Connection) -> None:
    rows = session.execute(
        """
        select i.indexrelid::regclass::text,
               array(
                   select a.attname::text from pg_attribute as a
                    where a.attrelid = i.indrelid and a.attnum = any(i.indkey)
               )
          from pg_index as i where i.indrelid = any(%s::text[]::regclass[]) and i.indisunique
        """,
        [[f"runstore.{name}" for name in APPEND_PATH]],
    ).fetchall()
    assert len(rows) >= 8
    assert [index for index, columns in rows if "run_id" not in columns] == []


def test_events_are_read_with_the_columns_of_the_design(session: Connection) -> None:
    rows = session.execute(
        """
        select attrelid::regclass::text, array_agg(attname || ' ' || format_type(atttypid, null) order by attnum)
          from pg_attribute
         where attrelid in ('runstore.run_event_records'::regclass, 'runstore.event_record'::regclass)
         group by attrelid
        """
    ).fetchall()
    assert dict(rows) == {"runstore.run_event_records": EVENT_RECORD, "runstore.event_record": EVENT_RECORD}
