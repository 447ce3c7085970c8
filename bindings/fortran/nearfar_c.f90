! SPDX-License-Identifier: BSD-3-Clause
! The functions of the C interface that the Fortran interface is built on.
module nearfar_c
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_int64_t, c_ptr, c_size_t
  implicit none (type, external)
  public

  integer, parameter :: max_dimensions = 4
  integer, parameter :: max_boxes = 8

  type, bind(C) :: c_grid_options
    type(c_ptr) :: periodic, process_grid, tile_extents, tile_counts
    integer(c_int) :: placement, allow_idle
  end type c_grid_options

  type, bind(C) :: c_field_options
    type(c_ptr) :: ghosts, memory_order
  end type c_field_options

  type, bind(C) :: c_halo_options
    type(c_ptr) :: name, method
    integer(c_int) :: stencil
    real(c_double) :: budget_s
  end type c_halo_options

  type, bind(C) :: c_box
    integer(c_int64_t) :: lower(max_dimensions), upper(max_dimensions)
  end type c_box

  type, bind(C) :: c_method_info
    type(c_ptr) :: name, description
    integer(c_int) :: near, far, is_candidate
  end type c_method_info

  interface
    function strlen(text) bind(C) result(length)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function strlen

    function nearfar_last_error() bind(C) result(text)
      import :: c_ptr
      type(c_ptr) :: text
    end function nearfar_last_error

    subroutine nearfar_end_job(code) bind(C)
      import :: c_int
      integer(c_int), value :: code
    end subroutine nearfar_end_job

    subroutine nearfar_number_axes(is_from_one) bind(C)
      import :: c_int
      integer(c_int), value :: is_from_one
    end subroutine nearfar_number_axes

    function nearfar_agree(team, complaint) bind(C) result(status)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: team
      character(kind=c_char), intent(in) :: complaint(*)
      integer(c_int) :: status
    end function nearfar_agree

    function nearfar_methods(count) bind(C) result(table)
      import :: c_int, c_ptr
      integer(c_int), intent(out) :: count
      type(c_ptr) :: table
    end function nearfar_methods

    ! Teams

    function nearfar_team_create_fint(comm, node_size, team) bind(C) result(status)
      import :: c_int, c_ptr
      integer(c_int), value :: comm, node_size
      type(c_ptr), intent(out) :: team
      integer(c_int) :: status
    end function nearfar_team_create_fint

    function nearfar_team_free(team) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: team
      integer(c_int) :: status
    end function nearfar_team_free

    pure function nearfar_team_rank(team) bind(C) result(number)
      import :: c_int, c_ptr
      type(c_ptr), value, intent(in) :: team
      integer(c_int) :: number
    end function nearfar_team_rank

    pure function nearfar_team_size(team) bind(C) result(number)
      import :: c_int, c_ptr
      type(c_ptr), value, intent(in) :: team
      integer(c_int) :: number
    end function nearfar_team_size

    pure function nearfar_team_node(team) bind(C) result(number)
      import :: c_int, c_ptr
      type(c_ptr), value, intent(in) :: team
      integer(c_int) :: number
    end function nearfar_team_node

    pure function nearfar_team_nodes(team) bind(C) result(number)
      import :: c_int, c_ptr
      type(c_ptr), value, intent(in) :: team
      integer(c_int) :: number
    end function nearfar_team_nodes

    pure function nearfar_team_near_rank(team) bind(C) result(number)
      import :: c_int, c_ptr
      type(c_ptr), value, intent(in) :: team
      integer(c_int) :: number
    end function nearfar_team_near_rank

    pure function nearfar_team_near_size(team) bind(C) result(number)
      import :: c_int, c_ptr
      type(c_ptr), value, intent(in) :: team
      integer(c_int) :: number
    end function nearfar_team_near_size

    function nearfar_team_describe(team) bind(C) result(text)
      import :: c_ptr
      type(c_ptr), value :: team
      type(c_ptr) :: text
    end function nearfar_team_describe

    ! Grids

    function nearfar_grid_create_with(team, dimensions, extents, options, &
      grid) bind(C) result(status)
      import :: c_grid_options, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: team
      integer(c_int), value :: dimensions
      integer(c_int64_t), intent(in) :: extents(*)
      type(c_grid_options), intent(in) :: options
      type(c_ptr), intent(out) :: grid
      integer(c_int) :: status
    end function nearfar_grid_create_with

    function nearfar_grid_from_tiles(team, dimensions, extents, lower, upper, periodic, grid) &
      bind(C) result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: team
      integer(c_int), value :: dimensions
      integer(c_int64_t), intent(in) :: extents(*), lower(*), upper(*)
      integer(c_int), intent(in) :: periodic(*)
      type(c_ptr), intent(out) :: grid
      integer(c_int) :: status
    end function nearfar_grid_from_tiles

    function nearfar_grid_free(grid) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: grid
      integer(c_int) :: status
    end function nearfar_grid_free

    function nearfar_grid_dimensions(grid) bind(C) result(number)
      import :: c_int, c_ptr
      type(c_ptr), value :: grid
      integer(c_int) :: number
    end function nearfar_grid_dimensions

    function nearfar_grid_extents(grid) bind(C) result(extents)
      import :: c_ptr
      type(c_ptr), value :: grid
      type(c_ptr) :: extents
    end function nearfar_grid_extents

    function nearfar_grid_lower(grid) bind(C) result(lower)
      import :: c_ptr
      type(c_ptr), value :: grid
      type(c_ptr) :: lower
    end function nearfar_grid_lower

    function nearfar_grid_upper(grid) bind(C) result(upper)
      import :: c_ptr
      type(c_ptr), value :: grid
      type(c_ptr) :: upper
    end function nearfar_grid_upper

    function nearfar_grid_describe(grid) bind(C) result(text)
      import :: c_ptr
      type(c_ptr), value :: grid
      type(c_ptr) :: text
    end function nearfar_grid_describe

    function nearfar_grid_team(grid) bind(C) result(team)
      import :: c_ptr
      type(c_ptr), value :: grid
      type(c_ptr) :: team
    end function nearfar_grid_team

    ! Fields

    function nearfar_field_create_with(grid, element_bytes, options, field) bind(C) result(status)
      import :: c_field_options, c_int, c_ptr, c_size_t
      type(c_ptr), value :: grid
      integer(c_size_t), value :: element_bytes
      type(c_field_options), intent(in) :: options
      type(c_ptr), intent(out) :: field
      integer(c_int) :: status
    end function nearfar_field_create_with

    function nearfar_field_free(field) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: field
      integer(c_int) :: status
    end function nearfar_field_free

    function nearfar_field_data(field) bind(C) result(address)
      import :: c_ptr
      type(c_ptr), value :: field
      type(c_ptr) :: address
    end function nearfar_field_data

    function nearfar_field_lower(field) bind(C) result(lower)
      import :: c_ptr
      type(c_ptr), value :: field
      type(c_ptr) :: lower
    end function nearfar_field_lower

    function nearfar_field_extents(field) bind(C) result(extents)
      import :: c_ptr
      type(c_ptr), value :: field
      type(c_ptr) :: extents
    end function nearfar_field_extents

    function nearfar_field_core(field, boxes, count) bind(C) result(status)
      import :: c_box, c_int, c_ptr
      type(c_ptr), value :: field
      type(c_box), intent(out) :: boxes(*)
      integer(c_int), intent(out) :: count
      integer(c_int) :: status
    end function nearfar_field_core

    function nearfar_field_edge(field, boxes, count) bind(C) result(status)
      import :: c_box, c_int, c_ptr
      type(c_ptr), value :: field
      type(c_box), intent(out) :: boxes(*)
      integer(c_int), intent(out) :: count
      integer(c_int) :: status
    end function nearfar_field_edge

    ! Halo plans

    function nearfar_halo_begin(team, options, halo) bind(C) result(status)
      import :: c_halo_options, c_int, c_ptr
      type(c_ptr), value :: team
      type(c_halo_options), intent(in) :: options
      type(c_ptr), intent(out) :: halo
      integer(c_int) :: status
    end function nearfar_halo_begin

    function nearfar_halo_refuse(halo, complaint) bind(C) result(status)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: halo
      character(kind=c_char), intent(in) :: complaint(*)
      integer(c_int) :: status
    end function nearfar_halo_refuse

    function nearfar_halo_commit(halo) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: halo
      integer(c_int) :: status
    end function nearfar_halo_commit

    function nearfar_halo_free(halo) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: halo
      integer(c_int) :: status
    end function nearfar_halo_free

    function nearfar_halo_start(halo) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: halo
      integer(c_int) :: status
    end function nearfar_halo_start

    function nearfar_halo_test(halo, done) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: halo
      integer(c_int), intent(out) :: done
      integer(c_int) :: status
    end function nearfar_halo_test

    function nearfar_halo_finish(halo) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: halo
      integer(c_int) :: status
    end function nearfar_halo_finish

    function nearfar_halo_exchange(halo) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: halo
      integer(c_int) :: status
    end function nearfar_halo_exchange

    function nearfar_halo_method(halo) bind(C) result(text)
      import :: c_ptr
      type(c_ptr), value :: halo
      type(c_ptr) :: text
    end function nearfar_halo_method

    function nearfar_halo_describe(halo) bind(C) result(text)
      import :: c_ptr
      type(c_ptr), value :: halo
      type(c_ptr) :: text
    end function nearfar_halo_describe

    function nearfar_halo_tuned_seconds(halo) bind(C) result(seconds)
      import :: c_double, c_ptr
      type(c_ptr), value :: halo
      real(c_double) :: seconds
    end function nearfar_halo_tuned_seconds

    ! Functions of descriptor.c, which see Fortran arrays of any type and rank

    function nearfar_fortran_find(team, array, field) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: team
      type(*), dimension(..), intent(in), target :: array
      type(c_ptr), intent(out) :: field
      integer(c_int) :: status
    end function nearfar_fortran_find

    function nearfar_fortran_add(halo, grid, array, ghosts, fill) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: halo, grid
      type(*), dimension(..), intent(inout), target :: array
      type(c_ptr), value :: ghosts, fill
      integer(c_int) :: status
    end function nearfar_fortran_add
  end interface
end module nearfar_c
