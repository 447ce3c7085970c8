# SPDX-License-Identifier: BSD-3-Clause
"""Other people's test-suites, run plain and through the preloaded library, and compared."""
