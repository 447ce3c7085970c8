! SPDX-License-Identifier: BSD-3-Clause
! Coarse meshes: some points of the main grid, for statistics (S), pictures (V), probes (P).
module m_coarse
  use decomp_2d_mpi
  use m_info, only: decomp_info, decomp_main
  implicit none
  private
  public :: init_coarser_mesh_statS, init_coarser_mesh_statV, init_coarser_mesh_statP
  public :: fine_to_coarseS, fine_to_coarseV, fine_to_coarseP
  public :: coarse_points

  !> First and last point of this rank, counted on the coarse mesh, and how many, per pencil.
  integer, dimension(3), save, public :: xstS = 1, xenS = 0, xszS = 0, ystS = 1, yenS = 0, &
    yszS = 0, zstS = 1, zenS = 0, zszS = 0
  integer, dimension(3), save, public :: xstV = 1, xenV = 0, xszV = 0, ystV = 1, yenV = 0, &
    yszV = 0, zstV = 1, zenV = 0, zszV = 0
  integer, dimension(3), save, public :: xstP = 1, xenP = 0, xszP = 0, ystP = 1, yenP = 0, &
    yszP = 0, zstP = 1, zenP = 0, zszP = 0

  integer, save :: skipS(3) = 1, skipV(3) = 1, skipP(3) = 1
  logical, save :: is_from_1 = .true.

contains

  !> Points that a rank with the points first to last has of a mesh of every skip-th point, which
  !> begins with point 1, else with point `skip`.
  elemental subroutine coarse_points(first, last, skip, from1, coarse_first, coarse_last)
    integer, intent(in) :: first, last, skip
    logical, intent(in) :: from1
    integer, intent(out) :: coarse_first, coarse_last
    integer :: shift

    shift = merge(skip - 1, 0, from1)
    coarse_first = (first + shift + skip - 1) / skip
    coarse_last = (last + shift) / skip
  end subroutine coarse_points

  subroutine set_mesh(skip, from1, xst, xen, xsz, yst, yen, ysz, zst, zen, zsz)
    integer, intent(in) :: skip(3)
    logical, intent(in) :: from1
    integer, dimension(3), intent(out) :: xst, xen, xsz, yst, yen, ysz, zst, zen, zsz

    if (any(skip < 1)) call decomp_2d_abort(minval(skip), &
      'init_coarser_mesh: the points between those of a mesh are 1 or more')
    is_from_1 = from1
    call coarse_points(decomp_main%xst, decomp_main%xen, skip, from1, xst, xen)
    call coarse_points(decomp_main%yst, decomp_main%yen, skip, from1, yst, yen)
    call coarse_points(decomp_main%zst, decomp_main%zen, skip, from1, zst, zen)
    xsz = xen - xst + 1
    ysz = yen - yst + 1
    zsz = zen - zst + 1
  end subroutine set_mesh

  !> Points 1, 1 + skip … of each axis (from1), else skip, 2 skip … Local; after decomp_2d_init.
  subroutine init_coarser_mesh_statS(i_skip, j_skip, k_skip, from1)
    integer, intent(in) :: i_skip, j_skip, k_skip
    logical, intent(in) :: from1
    skipS = [i_skip, j_skip, k_skip]
    call set_mesh(skipS, from1, xstS, xenS, xszS, ystS, yenS, yszS, zstS, zenS, zszS)
  end subroutine init_coarser_mesh_statS

  subroutine init_coarser_mesh_statV(i_skip, j_skip, k_skip, from1)
    integer, intent(in) :: i_skip, j_skip, k_skip
    logical, intent(in) :: from1
    skipV = [i_skip, j_skip, k_skip]
    call set_mesh(skipV, from1, xstV, xenV, xszV, ystV, yenV, yszV, zstV, zenV, zszV)
  end subroutine init_coarser_mesh_statV

  subroutine init_coarser_mesh_statP(i_skip, j_skip, k_skip, from1)
    integer, intent(in) :: i_skip, j_skip, k_skip
    logical, intent(in) :: from1
    skipP = [i_skip, j_skip, k_skip]
    call set_mesh(skipP, from1, xstP, xenP, xszP, ystP, yenP, yszP, zstP, zenP, zszP)
  end subroutine init_coarser_mesh_statP

  !> var_coarse = the points of the mesh S that a pencil (1, 2 or 3) of this rank has. Local.
  subroutine fine_to_coarseS(ipencil, var_fine, var_coarse)
    integer, intent(in) :: ipencil
    real(mytype), intent(in) :: var_fine(:,:,:)
    real(mytype), intent(inout) :: var_coarse(:,:,:)
    call take_points(ipencil, skipS, var_fine, var_coarse)
  end subroutine fine_to_coarseS

  subroutine fine_to_coarseV(ipencil, var_fine, var_coarse)
    integer, intent(in) :: ipencil
    real(mytype), intent(in) :: var_fine(:,:,:)
    real(mytype), intent(inout) :: var_coarse(:,:,:)
    call take_points(ipencil, skipV, var_fine, var_coarse)
  end subroutine fine_to_coarseV

  subroutine fine_to_coarseP(ipencil, var_fine, var_coarse)
    integer, intent(in) :: ipencil
    real(mytype), intent(in) :: var_fine(:,:,:)
    real(mytype), intent(inout) :: var_coarse(:,:,:)
    call take_points(ipencil, skipP, var_fine, var_coarse)
  end subroutine fine_to_coarseP

  subroutine take_points(pencil, skip, fine, coarse)
    integer, intent(in) :: pencil, skip(3)
    real(mytype), intent(in) :: fine(:,:,:)
    real(mytype), intent(inout) :: coarse(:,:,:)
    integer :: first(3), last(3), start(3), finish(3), at(3)

    select case (pencil)
    case (1)
      first = decomp_main%xst
      last = decomp_main%xen
    case (2)
      first = decomp_main%yst
      last = decomp_main%yen
    case (3)
      first = decomp_main%zst
      last = decomp_main%zen
    case default
      call decomp_2d_abort(pencil, 'fine_to_coarse: a pencil is 1, 2 or 3')
    end select
    call coarse_points(first, last, skip, is_from_1, start, finish)
    if (any(shape(coarse) /= finish - start + 1)) call decomp_2d_abort(pencil, &
      'fine_to_coarse: var_coarse has not the size of the coarse mesh')
    at = merge((start - 1) * skip + 1, start * skip, is_from_1) - first + 1
    coarse = fine(at(1)::skip(1), at(2)::skip(2), at(3)::skip(3))
  end subroutine take_points

end module m_coarse
