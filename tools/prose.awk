# The prose of files, one line "FILE:LINE:TEXT" per line that has any: awk -f tools/prose.awk FILE ...
#
# Of a Markdown page: everything but code (fenced, indented or between backticks) and link targets.
# Of a C file: comments and string literals, without their marks and format directives.

function markdown(line)
{
    if (line ~ /^ *```/) {
        fenced = !fenced
        return ""
    }
    if (fenced || line ~ /^    /) return ""
    gsub(/`[^`]*`/, " ", line)
    gsub(/\]\([^)]*\)/, " ", line)
    return line
}

function c_prose(line,    prose, at)
{
    prose = ""
    while (line != "") {
        if (comment) {
            at = index(line, "*/")
            prose = prose " " (at ? substr(line, 1, at - 1) : line)
            comment = !at
            line = at ? substr(line, at + 2) : ""
        } else if (match(line, /\/\*|\/\/|"([^"\\]|\\.)*"|'([^'\\]|\\.)+'/)) {
            if (substr(line, RSTART, 2) == "/*") comment = 1
            else if (substr(line, RSTART, 2) == "//") { prose = prose " " substr(line, RSTART + 2); return prose }
            else if (substr(line, RSTART, 1) == "\"") prose = prose " " substr(line, RSTART + 1, RLENGTH - 2)
            line = substr(line, RSTART + RLENGTH)
        } else
            line = ""
    }
    return prose
}

FNR == 1 { fenced = comment = 0 }
{
    text = FILENAME ~ /\.md$/ ? markdown($0) : c_prose($0)
    if (text ~ /[A-Za-z]/) print FILENAME ":" FNR ":" text
}
