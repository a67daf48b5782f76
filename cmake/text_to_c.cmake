# SPDX-License-Identifier: Apache-2.0
# cmake -DFROM=FILE -DTO=FILE.c -DNAME=NAME -P text_to_c.cmake: a C file that has the file's text as an array NAME, with a 0 behind it.
file(READ ${FROM} bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${TO} "extern const char ${NAME}[];\nconst char ${NAME}[] = {\n${bytes}0};\n")
