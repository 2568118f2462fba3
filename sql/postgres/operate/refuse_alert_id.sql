-- Refuses the id of an alert that does not exist or is another tenant's. Never returns.
create function runstore.refuse_alert_id(p_alert_id uuid)
returns void
language plpgsql stable
as $$
begin
    perform runstore.raise_error(
        'RS010',
        pg_catalog.format('alertId %L is no alert', p_alert_id),
        'Take the id from the view runstore.alerts.',
        'alertId',
        p_alert_id::text,
        'the id of an alert'
    );
end
$$;

comment on function runstore.refuse_alert_id(uuid) is 'Raises RS010 for an alert id that is unknown.';

revoke all on function runstore.refuse_alert_id(uuid) from public;
