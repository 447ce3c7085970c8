# SPDX-License-Identifier: BSD-3-Clause
"""How Sphinx makes the site of what tools/site.py has put together."""

import os

project = "Nearfar"
author = "the authors of Nearfar"
release = os.environ["NEARFAR_VERSION"]
extensions = ["breathe", "myst_parser"]
html_theme = "furo"
html_title = f"Nearfar {release}"
html_copy_source = False
html_show_copyright = False

breathe_projects = {"nearfar": os.environ["NEARFAR_DOXYGEN_XML"]}
breathe_default_project = "nearfar"
breathe_domain_by_extension = {"h": "c", "hpp": "cpp"}
breathe_show_include = False

# Links to headings, as GitHub makes them; the deepest is the one that a page refers to.
myst_heading_anchors = 4
# Examples with an ellipsis in them are shown as they are, whatever a lexer thinks of them; the namespace stands on each
# page; some pages go from the first level of headings to the third.
suppress_warnings = ["misc.highlighting_failure", "duplicate_declaration.cpp", "myst.header"]


def setup(app):
    app.add_object_type("fortran", "fortran", indextemplate="pair: %s; Fortran")
