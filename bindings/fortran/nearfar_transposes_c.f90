! SPDX-License-Identifier: BSD-3-Clause
! The functions of the C interface that transpositions are built on.
module nearfar_transposes_c
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_int64_t, c_ptr, c_size_t
  use nearfar_c, only: c_box, max_dimensions
  implicit none (type, external)
  private :: c_char, c_double, c_int, c_int64_t, c_ptr, c_size_t, c_box, max_dimensions
  public

  type, bind(C) :: c_transpose_side
    type(c_ptr) :: parts, memory_order, padding
    integer(c_int64_t) :: field_stride
  end type c_transpose_side

  type, bind(C) :: c_array_shape
    type(c_box) :: held
    integer(c_int64_t) :: strides(max_dimensions), elements
  end type c_array_shape

  type, bind(C) :: c_transpose_options
    type(c_ptr) :: name, method, without
    integer(c_int) :: without_count
    real(c_double) :: budget_s
    integer(c_int64_t) :: fields
  end type c_transpose_options

  ! What an array must look like: transpose.c.
  type, bind(C) :: c_expected_array
    integer(c_int) :: dimensions = 0
    integer(c_int64_t) :: extents(max_dimensions) = 0  ! as the array has them, fastest first
    integer(c_int64_t) :: elements = 0, fields = 1
  end type c_expected_array

  interface
    function nearfar_refuse(complaint) bind(C) result(status)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: complaint(*)
      integer(c_int) :: status
    end function nearfar_refuse

    function nearfar_decomposition_blocks(team, dimensions, extents, process_grid, handle) &
      bind(C) result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: team
      integer(c_int), value :: dimensions
      integer(c_int64_t), intent(in) :: extents(*)
      integer(c_int), intent(in) :: process_grid(*)
      type(c_ptr), intent(out) :: handle
      integer(c_int) :: status
    end function nearfar_decomposition_blocks

    function nearfar_decomposition_slab(team, dimensions, extents, cut_axis, handle) &
      bind(C) result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: team
      integer(c_int), value :: dimensions, cut_axis
      integer(c_int64_t), intent(in) :: extents(*)
      type(c_ptr), intent(out) :: handle
      integer(c_int) :: status
    end function nearfar_decomposition_slab

    function nearfar_decomposition_pencil(team, dimensions, extents, whole_axis, process_grid, &
      handle) bind(C) result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: team, process_grid
      integer(c_int), value :: dimensions, whole_axis
      integer(c_int64_t), intent(in) :: extents(*)
      type(c_ptr), intent(out) :: handle
      integer(c_int) :: status
    end function nearfar_decomposition_pencil

    function nearfar_decomposition_from_boxes(team, dimensions, extents, own, handle) &
      bind(C) result(status)
      import :: c_box, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: team
      integer(c_int), value :: dimensions
      integer(c_int64_t), intent(in) :: extents(*)
      type(c_box), intent(in) :: own
      type(c_ptr), intent(out) :: handle
      integer(c_int) :: status
    end function nearfar_decomposition_from_boxes

    function nearfar_decomposition_free(handle) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: handle
      integer(c_int) :: status
    end function nearfar_decomposition_free

    pure function nearfar_decomposition_dimensions(handle) bind(C) result(number)
      import :: c_int, c_ptr
      type(c_ptr), value, intent(in) :: handle
      integer(c_int) :: number
    end function nearfar_decomposition_dimensions

    function nearfar_decomposition_extents(handle) bind(C) result(numbers)
      import :: c_ptr
      type(c_ptr), value :: handle
      type(c_ptr) :: numbers
    end function nearfar_decomposition_extents

    function nearfar_decomposition_process_grid(handle) bind(C) result(numbers)
      import :: c_ptr
      type(c_ptr), value :: handle
      type(c_ptr) :: numbers
    end function nearfar_decomposition_process_grid

    function nearfar_decomposition_box(handle, rank, box) bind(C) result(status)
      import :: c_box, c_int, c_ptr
      type(c_ptr), value :: handle
      integer(c_int), value :: rank
      type(c_box), intent(inout) :: box
      integer(c_int) :: status
    end function nearfar_decomposition_box

    function nearfar_decomposition_describe(handle) bind(C) result(text)
      import :: c_ptr
      type(c_ptr), value :: handle
      type(c_ptr) :: text
    end function nearfar_decomposition_describe

    function nearfar_decomposition_team(handle) bind(C) result(team)
      import :: c_ptr
      type(c_ptr), value :: handle
      type(c_ptr) :: team
    end function nearfar_decomposition_team

    function nearfar_transpose_shape(side, found) bind(C) result(status)
      import :: c_array_shape, c_int, c_transpose_side
      type(c_transpose_side), intent(in) :: side
      type(c_array_shape), intent(inout) :: found
      integer(c_int) :: status
    end function nearfar_transpose_shape

    function nearfar_transpose_array_create(count, sides, fields, element_bytes, array) &
      bind(C) result(status)
      import :: c_int, c_int64_t, c_ptr, c_size_t, c_transpose_side
      integer(c_int), value :: count
      type(c_transpose_side), intent(in) :: sides(*)
      integer(c_int64_t), value :: fields
      integer(c_size_t), value :: element_bytes
      type(c_ptr), intent(out) :: array
      integer(c_int) :: status
    end function nearfar_transpose_array_create

    function nearfar_transpose_array_data(array, field) bind(C) result(address)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: array
      integer(c_int64_t), value :: field
      type(c_ptr) :: address
    end function nearfar_transpose_array_data

    function nearfar_transpose_array_free(array) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: array
      integer(c_int) :: status
    end function nearfar_transpose_array_free

    function nearfar_fortran_find_array(team, array, handle) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: team
      type(*), dimension(..), intent(in), target :: array
      type(c_ptr), intent(out) :: handle
      integer(c_int) :: status
    end function nearfar_fortran_find_array

    ! Without `out` both are `in`.
    function nearfar_fortran_transpose_create(from, to, expect_from, expect_to, in, out, options, &
      element_bytes, plan) bind(C) result(status)
      import :: c_expected_array, c_int, c_ptr, c_size_t, c_transpose_options, c_transpose_side
      type(c_transpose_side), intent(in) :: from, to
      type(c_expected_array), intent(in) :: expect_from, expect_to
      type(*), dimension(..), intent(in), target :: in
      type(*), dimension(..), intent(in), target, optional :: out
      type(c_transpose_options), intent(in) :: options
      integer(c_size_t), intent(out) :: element_bytes
      type(c_ptr), intent(out) :: plan
      integer(c_int) :: status
    end function nearfar_fortran_transpose_create

    function nearfar_fortran_transpose_start(plan, expect_from, expect_to, element_bytes, in, out) &
      bind(C) result(status)
      import :: c_expected_array, c_int, c_ptr, c_size_t
      type(c_ptr), value :: plan
      type(c_expected_array), intent(in) :: expect_from, expect_to
      integer(c_size_t), value :: element_bytes
      type(*), dimension(..), intent(in), target :: in
      type(*), dimension(..), intent(in), target, optional :: out
      integer(c_int) :: status
    end function nearfar_fortran_transpose_start

    function nearfar_transpose_start(plan, in, out) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan, in, out
      integer(c_int) :: status
    end function nearfar_transpose_start

    function nearfar_transpose_start_again(plan) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      integer(c_int) :: status
    end function nearfar_transpose_start_again

    function nearfar_transpose_test(plan, done) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      integer(c_int), intent(inout) :: done
      integer(c_int) :: status
    end function nearfar_transpose_test

    function nearfar_transpose_finish(plan) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      integer(c_int) :: status
    end function nearfar_transpose_finish

    function nearfar_transpose_free(plan) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: plan
      integer(c_int) :: status
    end function nearfar_transpose_free

    function nearfar_transpose_method(plan) bind(C) result(text)
      import :: c_ptr
      type(c_ptr), value :: plan
      type(c_ptr) :: text
    end function nearfar_transpose_method

    function nearfar_transpose_describe(plan) bind(C) result(text)
      import :: c_ptr
      type(c_ptr), value :: plan
      type(c_ptr) :: text
    end function nearfar_transpose_describe

    function nearfar_transpose_tuned_seconds(plan) bind(C) result(seconds)
      import :: c_double, c_ptr
      type(c_ptr), value :: plan
      real(c_double) :: seconds
    end function nearfar_transpose_tuned_seconds
  end interface
end module nearfar_transposes_c
