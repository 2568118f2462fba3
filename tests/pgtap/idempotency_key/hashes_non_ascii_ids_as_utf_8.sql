begin;
select plan(3);

select is(
    runstore.idempotency_key('läufer-😀', 'schritt-ß', 1, 'StepStarted', '计划', 'v1-é'),
    'f440d72622768a76eef352c92867adffec1c381873475b348393803178f523dc'::text,
    'one to four octets per character'
);
select is(
    runstore.idempotency_key(U&'e\0301', null, 1, 'RunStarted', 'p', '1'),
    'e4d70759cb2541813702a92b910280784c1f1cab8e3d747794a6984de1fef4c6'::text,
    'a combining accent stays apart'
);
select is(
    runstore.idempotency_key(U&'\00e9', null, 1, 'RunStarted', 'p', '1'),
    '7ac737f44ccd12430cc28913dc690d7ca699bce840d2d6492df3dad13ff60f56'::text,
    'a composed letter stays composed'
);

select * from finish();
rollback;
