-- Takes back 0013.fold.
drop function runstore.check_earlier_elements(jsonb, text);
drop function runstore.check_batch_transitions(runstore.incoming_event[]);
drop function runstore.check_transitions(text[], bigint[], int[]);
drop function runstore.refuse_transition(text, text, text, int);
drop function runstore.fold(runstore.fold_span[]);
drop function runstore.fold_spans(text[], boolean, bigint);
drop type runstore.folded;
drop type runstore.fold_span;
