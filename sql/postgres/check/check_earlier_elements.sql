-- For a batch that is about to be refused for an element: where transitions are enforced, refuses it for an earlier
-- element instead, if one is not allowed (RS004), because a batch reports its lowest offending element. p_detail is the
-- DETAIL of the refusal at hand. The elements before it are appended for that; what follows is an error in any case,
-- and undoes them.
create function runstore.check_earlier_elements(p_events jsonb, p_detail text)
returns void
language plpgsql volatile
as $$
declare
    v_index constant int := (p_detail::jsonb ->> 'index')::int;
begin
    if v_index > 0 and (select c.enforce_transitions from runstore.config as c where c.singleton) then
        perform runstore.append_events((
            select pg_catalog.jsonb_agg(e.event order by e.nth)
            from pg_catalog.jsonb_array_elements(p_events) with ordinality as e (event, nth)
            where e.nth <= v_index
        ));
    end if;
end
$$;

comment on function runstore.check_earlier_elements(jsonb, text) is
'Refuses a batch for an element before the one at hand, if the transitions do not allow it.';

revoke all on function runstore.check_earlier_elements(jsonb, text) from public;
