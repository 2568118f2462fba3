\set ON_ERROR_STOP on

\ir foundation/schema.sql
\ir foundation/roles.sql
\ir foundation/version.sql
\ir foundation/clock.sql
\ir foundation/error_codes.sql
\ir foundation/raise_error.sql
\ir foundation/config.sql
\ir foundation/config_keys.sql
\ir foundation/set_config_value.sql
\ir foundation/is_identifier.sql
\ir foundation/tenant_bindings.sql
\ir foundation/session_tenants.sql
\ir foundation/tenant_is_foreign.sql
\ir foundation/bind_login.sql
\ir foundation/unbind_login.sql

\ir operate/alert_codes.sql
\ir operate/alert_log.sql
\ir operate/raise_alert.sql
\ir operate/alerts.sql
\ir operate/refuse_alert_id.sql
\ir operate/ack_alert.sql
\ir operate/resolve_alert.sql

\ir log/run_counters.sql
\ir log/run_events.sql
\ir log/refuse_log_change.sql
\ir log/run_events_guard.sql

\ir check/event_types.sql
\ir check/event_rules.sql
\ir check/event_fields.sql
\ir check/event_keys.sql

\ir check/artifact_refs_are_pointers.sql
\ir check/event_fault.sql
\ir check/looks_ordinary.sql
\ir check/refuse_event.sql
\ir check/check_event.sql

\ir check/refuse_foreign_tenant.sql
\ir check/check_tenant.sql
\ir check/refuse_identity.sql
\ir check/refuse_event_id.sql
\ir check/refuse_signal.sql
\ir check/signal_wait_ms.sql
\ir check/check_signal_rate.sql

\ir append/append_result.sql
\ir append/idempotency_key_octets.sql
\ir append/idempotency_key.sql
\ir append/differing_fields.sql
\ir append/alert_conflict.sql
\ir append/give_back_seq.sql
\ir append/stamp_again.sql
\ir append/append_event.sql

\ir check/parse_attempt.sql
\ir check/parse_uuid.sql
\ir check/parse_instant.sql
\ir check/has_wrong_type.sql
\ir check/incoming_event.sql
\ir check/parse_events.sql
\ir append/append_event_json.sql

\ir check/check_batch.sql
\ir append/lock_runs.sql
\ir append/advance_counters.sql
\ir append/append_new_events.sql
\ir append/append_mixed_events.sql
\ir append/append_events.sql

\ir read/event_record.sql
\ir read/run_event_records.sql
\ir read/fetch_events.sql

\ir project/statuses.sql
\ir project/transitions.sql
\ir project/event_effects.sql
\ir project/walk.sql
\ir project/keep_first.sql
\ir project/any_json.sql

\ir project/run_states.sql
\ir project/run_steps.sql
\ir consume/consumers.sql
\ir consume/due_runs.sql
\ir consume/retry_delay.sql

\ir project/fold_span.sql
\ir project/folded.sql
\ir project/fold_spans.sql
\ir project/fold.sql
\ir check/refuse_transition.sql
\ir check/check_transitions.sql
\ir check/check_batch_transitions.sql
\ir check/check_earlier_elements.sql

\ir check/check_run.sql
\ir project/utc_text.sql
\ir project/array_items.sql
\ir project/step_json.sql
\ir project/snapshot_json.sql
\ir project/get_snapshot.sql
\ir project/run_snapshots.sql
\ir project/replay_snapshot.sql
\ir project/detect_gap.sql
\ir read/run_summary.sql
\ir read/list_runs.sql

\ir operate/close_alerts.sql
\ir operate/alert_is_held.sql
\ir project/alert_refusals.sql
\ir project/store_fold.sql
\ir project/settle_runs.sql
\ir project/park_run.sql
\ir project/reset_projection.sql

\ir project/project_runs.sql
\ir project/lock_projection.sql
\ir project/try_lock_projections.sql
\ir project/project_append.sql
\ir project/project_pending.sql
\ir project/project_snapshot.sql
\ir project/resync_run.sql

\ir operate/check_health.sql
