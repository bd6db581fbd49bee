# tools/check-layers, on the source and on trees with a fault planted for each of its rules; part of run.sh.
tools/check-layers
report $? 'layers'
plant src/data/a.c '#include "base/text.h"\n#include "vec/vec.h"\n#include "data/data.h"\n#include "halfspace_all.h"\n'
tools/check-layers "$tree"
report $? 'sound layers pass'
plant src/base/a.c '#include "data/data.h"\n'
caught check-layers 'base that includes data'
plant src/data/a.c '# include "../learn/learn.h"\n'
caught check-layers 'a path with dots'
plant cli/a.c '#include "base/text.h"\n'
caught check-layers 'a command that includes the inside'
plant verify/a.c '#include "halfspace_all.h"\n'
caught check-layers 'a checker that includes the library'
plant src/misc/a.c '#include "halfspace_all.h"\n'
caught check-layers 'an unknown module'
plant src/base/a.c '#include <data/data.h>\n'
caught check-layers 'a header of ours in angle brackets' 'is ours'
plant src/data/a.c 'extern int hsp__x(void);\n'
caught check-layers 'extern in a .c file' 'extern hsp__x'
plant src/data/a.c 'int hsp__x(void);\n'
caught check-layers 'a prototype in a .c file' 'hsp__x is declared here'
for library in archive.h gmp.h Clp_C_Interface.h; do
    plant src/data/a.c "#include <$library>\n"
    tools/check-layers "$tree"
    report $? "<$library> in one file passes"
    plant src/data/a.c "#include <$library>\n" src/data/b.c "#include <$library>\n"
    caught check-layers "<$library> in two files" 'belongs in one file'
done
plant src/base/a.h '#include "base/b.h"\n' src/base/b.h '#include "base/a.h"\n'
caught check-layers 'headers that include each other' 'include each other'
plant src/base/a.c '' src/data/a.c ''
caught check-layers 'two files of one name' 'of this name'
plant src/base/f.h 'int hsp__f(void);\n' src/data/g.c 'int hsp__f(void)\n{\n    return 1;\n}\n'
caught check-layers 'a function declared in another folder' 'declares hsp__f of'
plant src/base/f.h 'int hsp__f(void);\n' src/base/f.c 'int hsp__f(void)\n{\n    return 1;\n}\n'
caught check-layers 'a function that nothing calls' 'hsp__f is called by no program'
# two_files CALL KNOWN: a calls b, b has this call, and these cycles are known.
two_files()
{
    plant src/data/a.c 'int hsp__a(void)\n{\n    return hsp__b();\n}\n' \
        src/data/b.c "int hsp__b(void)\n{\n    return $1;\n}\n" tools/known-cycles "$2"
}
two_files 'hsp__c()' ''
tools/check-layers "$tree"
report $? 'calls in one direction pass'
two_files 'hsp__a()' ''
caught check-layers 'a cycle of calls' 'a cycle of calls between src/data/a.c, src/data/b.c'
two_files 'hsp__a()' '# known\nsrc/data/b.c -> src/data/a.c\n'
tools/check-layers "$tree"
report $? 'a known cycle passes'
two_files 'hsp__c()' 'src/data/b.c -> src/data/a.c\n'
caught check-layers 'a known cycle that is gone' 'closes no cycle any more'
