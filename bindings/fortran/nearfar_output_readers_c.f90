! SPDX-License-Identifier: BSD-3-Clause
! The functions of the C interface that reading output back is built on.
module nearfar_output_readers_c
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_int64_t, c_ptr
  use nearfar_c, only: c_box
  use nearfar_outputs_c, only: c_output_array, c_output_shape, c_output_step
  implicit none (type, external)
  private :: c_char, c_double, c_int, c_int64_t, c_ptr, c_box
  private :: c_output_array, c_output_shape, c_output_step
  public

  type, bind(C) :: c_output_reader_options
    integer(c_int64_t) :: stride
    integer(c_int) :: no_reading_ahead, depth
    integer(c_int64_t) :: most_bytes
    integer(c_int) :: no_checksum
  end type c_output_reader_options

  type, bind(C) :: c_output_selection
    type(c_ptr) :: name
    type(c_box) :: wanted
    type(c_ptr) :: padding
  end type c_output_selection

  interface
    function nearfar_output_reader_create(team, path, options, reader) bind(C) result(status)
      import :: c_char, c_int, c_output_reader_options, c_ptr
      type(c_ptr), value :: team
      character(kind=c_char), intent(in) :: path(*)
      type(c_output_reader_options), intent(in) :: options
      type(c_ptr), intent(out) :: reader
      integer(c_int) :: status
    end function nearfar_output_reader_create

    function nearfar_output_reader_steps(reader, capacity, steps, count) bind(C) result(status)
      import :: c_int, c_int64_t, c_output_step, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t), value :: capacity
      type(c_output_step), intent(inout) :: steps(*)
      integer(c_int64_t), intent(out) :: count
      integer(c_int) :: status
    end function nearfar_output_reader_steps

    pure function nearfar_output_reader_arrays(reader) bind(C) result(number)
      import :: c_int, c_ptr
      type(c_ptr), value, intent(in) :: reader
      integer(c_int) :: number
    end function nearfar_output_reader_arrays

    function nearfar_output_reader_array(reader, number, array) bind(C) result(status)
      import :: c_int, c_output_array, c_ptr
      type(c_ptr), value :: reader
      integer(c_int), value :: number
      type(c_output_array), intent(out) :: array
      integer(c_int) :: status
    end function nearfar_output_reader_array

    function nearfar_output_reader_select(reader, count, selections) bind(C) result(status)
      import :: c_int, c_output_selection, c_ptr
      type(c_ptr), value :: reader
      integer(c_int), value :: count
      type(c_output_selection), intent(in) :: selections(*)
      integer(c_int) :: status
    end function nearfar_output_reader_select

    function nearfar_output_reader_team(reader) bind(C) result(team)
      import :: c_ptr
      type(c_ptr), value :: reader
      type(c_ptr) :: team
    end function nearfar_output_reader_team

    function nearfar_output_reader_begin_step(reader, step, time) bind(C) result(status)
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: reader
      integer(c_int64_t), value :: step
      real(c_double), intent(out) :: time
      integer(c_int) :: status
    end function nearfar_output_reader_begin_step

    function nearfar_output_reader_get(reader, name, data) bind(C) result(status)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: reader, data
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int) :: status
    end function nearfar_output_reader_get

    function nearfar_fortran_output_get(reader, name, shape, array) bind(C) result(status)
      import :: c_char, c_int, c_output_shape, c_ptr
      type(c_ptr), value :: reader
      character(kind=c_char), intent(in) :: name(*)
      type(c_output_shape), intent(in) :: shape
      type(*), dimension(..), intent(inout) :: array
      integer(c_int) :: status
    end function nearfar_fortran_output_get

    function nearfar_output_reader_end_step(reader) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: reader
      integer(c_int) :: status
    end function nearfar_output_reader_end_step

    function nearfar_output_reader_describe(reader) bind(C) result(text)
      import :: c_ptr
      type(c_ptr), value :: reader
      type(c_ptr) :: text
    end function nearfar_output_reader_describe

    function nearfar_output_reader_free(reader) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: reader
      integer(c_int) :: status
    end function nearfar_output_reader_free
  end interface
end module nearfar_output_readers_c
