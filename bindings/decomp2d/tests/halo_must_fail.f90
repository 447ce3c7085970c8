! SPDX-License-Identifier: BSD-3-Clause
! Runs on two ranks that must end with one message: layers deeper than a rank's part, an array of
! the wrong size on one rank, levels that differ, sizes that do not fit on one rank.
program halo_must_fail
  use decomp_2d
  use decomp_2d_constants
  use nearfar_testing, only: testing_begin, world_rank
  implicit none (type, external)
  integer, parameter :: nx = 6, ny = 4, nz = 5
  integer :: p_row = 1, p_col = 2
  real(mytype), allocatable :: u(:,:,:), h(:,:,:)
  character(20) :: which

  call testing_begin()
  call get_command_argument(1, which)
  call decomp_2d_init(nx, ny, nz, p_row, p_col)
  call alloc_x(u)
  u = 0
  select case (which)
  case ('deep')
    call update_halo(u, h, 3)
  case ('shape')
    if (world_rank == 1) u = reshape([real(mytype) ::], [nx + 1, ny + 1, nz + 1], pad=[0.0_mytype])
    call update_halo(u, h, 1)
  case ('level')
    call update_halo(u, h, world_rank)
  case ('sizes')
    allocate (h(nx, 0:ny + 1, 0:size(u, 3) + 1))
    call halo_exchange(h, 1, halo_extents_t(1, shape(u), decomp_main, 1, .false.), 1, &
      shape(u) + [0, 0, world_rank])
  end select
  print '(a)', 'no rank may come here'
end program halo_must_fail
