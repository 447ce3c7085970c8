! SPDX-License-Identifier: BSD-3-Clause
! Coarse meshes as programs of 2.0 and 2.1 use them.
program coarse_meshes
  use decomp_2d, only: fine_to_coarseS, fine_to_coarseV, fine_to_coarseP, init_coarser_mesh_statS, &
    init_coarser_mesh_statV, init_coarser_mesh_statP, xstS, xenS, xszS, ystV, yenV, yszV, zstP, &
    zenP, zszP
  use decomp_2d_constants, only: mytype
  implicit none
  real(mytype), allocatable :: fine(:,:,:), coarse(:,:,:)
  call init_coarser_mesh_statS(2, 2, 2, .true.)
  call init_coarser_mesh_statV(2, 2, 2, .false.)
  call init_coarser_mesh_statP(2, 2, 2, .false.)
  call fine_to_coarseS(1, fine, coarse)
  call fine_to_coarseV(2, fine, coarse)
  call fine_to_coarseP(3, fine, coarse)
  print *, xstS, xenS, xszS, ystV, yenV, yszV, zstP, zenP, zszP
end program coarse_meshes
