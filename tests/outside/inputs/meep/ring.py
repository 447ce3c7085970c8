# SPDX-License-Identifier: BSD-3-Clause
"""Light in a bent waveguide."""
import meep

cell = meep.Vector3(8, 8)
guide = [meep.Block(meep.Vector3(6, 1, meep.inf), center=meep.Vector3(-1, -1), material=meep.Medium(epsilon=12)),
         meep.Block(meep.Vector3(1, 6, meep.inf), center=meep.Vector3(1.5, 1), material=meep.Medium(epsilon=12))]
source = [meep.Source(meep.ContinuousSource(frequency=0.15), component=meep.Ez, center=meep.Vector3(-3, -1),
                      size=meep.Vector3(0, 1))]
sim = meep.Simulation(cell_size=cell, geometry=guide, sources=source, boundary_layers=[meep.PML(1.0)], resolution=10)
sim.run(until=30)
values = [sim.get_field_point(meep.Ez, meep.Vector3(x, y)).real for x, y in ((-2, -1), (1.5, 0), (1.5, 2))]
energy = sim.field_energy_in_box(center=meep.Vector3(), size=meep.Vector3(4, 4))
if meep.am_master():
    print("fields", *("%.9e" % value for value in values), "energy %.9e" % energy)
