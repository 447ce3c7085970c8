# SPDX-License-Identifier: BSD-3-Clause
# Leaves out of the headers what Doxygen would show twice: types that C names a second time, and instantiations.
s/^typedef (struct|enum) (\w+) \{/\1 \2 {/
s/^\} nearfar_\w+;$/};/
s/^((struct|enum) \w+ \{.*\}) \w+;/\1;/
/^extern template /d
