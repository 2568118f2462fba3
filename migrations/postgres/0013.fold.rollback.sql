-- Takes back 0013.fold.
drop function runstore.check_transitions(text[], uuid[], boolean);
drop function runstore.refuse_transition(text, text, text, int);
drop function runstore.fold(runstore.fold_span[]);
drop function runstore.fold_spans(text[], boolean, bigint, bigint);
drop type runstore.folded;
drop type runstore.fold_span;
