# SPDX-License-Identifier: BSD-3-Clause
"""The parts of tools/cluster, which emulates a cluster of nodes on one Linux machine."""
