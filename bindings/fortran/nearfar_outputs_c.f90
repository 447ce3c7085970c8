! SPDX-License-Identifier: BSD-3-Clause
! The functions of the C interface that output is built on.
module nearfar_outputs_c
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_int64_t, c_ptr
  use nearfar_c, only: c_box, max_dimensions
  implicit none (type, external)
  private :: c_char, c_double, c_int, c_int64_t, c_ptr, c_box, max_dimensions
  public

  type, bind(C) :: c_output_crew_options
    integer(c_int) :: placement, ranks_to_spare, far_writers
  end type c_output_crew_options

  type, bind(C) :: c_output_attribute
    type(c_ptr) :: key, value
  end type c_output_attribute

  type, bind(C) :: c_output_array
    type(c_ptr) :: name
    integer(c_int) :: type, dimensions
    type(c_ptr) :: extents
    type(c_box) :: own
    type(c_ptr) :: padding
    integer(c_int) :: attribute_count
    type(c_ptr) :: attributes, dimension_names, compression
    integer(c_int) :: is_varying, part, is_constant
  end type c_output_array

  type, bind(C) :: c_output_axis
    type(c_ptr) :: name
    integer(c_int64_t) :: count
    type(c_ptr) :: values
    integer(c_int) :: attribute_count
    type(c_ptr) :: attributes
  end type c_output_axis

  type, bind(C) :: c_output_options
    integer(c_int) :: policy, depth
    integer(c_int64_t) :: most_bytes
    integer(c_int) :: writers_per_node, is_durable_at_flush, opening
    integer(c_int64_t) :: expected_steps
    integer(c_int) :: through_cache, no_checksum
    real(c_double) :: throttle_bytes_per_s, linger_s
    type(c_ptr) :: crew, format
    integer(c_int) :: attribute_count
    type(c_ptr) :: attributes
    integer(c_int) :: axis_count
    type(c_ptr) :: axes, compression, append_before
    integer(c_int) :: verify, is_pinned
  end type c_output_options

  type, bind(C) :: c_output_slot
    type(c_ptr) :: data
    integer(c_int64_t) :: strides_bytes(max_dimensions)
  end type c_output_slot

  type, bind(C) :: c_output_report
    integer(c_int64_t) :: step
    real(c_double) :: time
    integer(c_int) :: state
    character(kind=c_char) :: reason(256)
  end type c_output_report

  type, bind(C) :: c_output_step
    integer(c_int64_t) :: step
    real(c_double) :: time
  end type c_output_step

  ! What an array that is put must look like, fastest first: output.c.
  type, bind(C) :: c_output_shape
    integer(c_int) :: type = 0, dimensions = 0
    integer(c_int64_t) :: own(max_dimensions) = 0
    integer(c_int64_t) :: low(max_dimensions) = 0, high(max_dimensions) = 0  ! ghost cells
  end type c_output_shape

  interface
    function nearfar_output_crew_create(all, options, crew) bind(C) result(status)
      import :: c_int, c_output_crew_options, c_ptr
      type(c_ptr), value :: all
      type(c_output_crew_options), intent(in) :: options
      type(c_ptr), intent(out) :: crew
      integer(c_int) :: status
    end function nearfar_output_crew_create

    pure function nearfar_output_crew_is_writer(crew) bind(C) result(flag)
      import :: c_int, c_ptr
      type(c_ptr), value, intent(in) :: crew
      integer(c_int) :: flag
    end function nearfar_output_crew_is_writer

    pure function nearfar_output_crew_writers(crew) bind(C) result(number)
      import :: c_int, c_ptr
      type(c_ptr), value, intent(in) :: crew
      integer(c_int) :: number
    end function nearfar_output_crew_writers

    function nearfar_output_crew_computing(crew) bind(C) result(team)
      import :: c_ptr
      type(c_ptr), value :: crew
      type(c_ptr) :: team
    end function nearfar_output_crew_computing

    function nearfar_output_crew_serve(crew) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: crew
      integer(c_int) :: status
    end function nearfar_output_crew_serve

    function nearfar_output_crew_free(crew) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: crew
      integer(c_int) :: status
    end function nearfar_output_crew_free

    function nearfar_output_create(team, path, count, arrays, options, stream) bind(C) &
      result(status)
      import :: c_char, c_int, c_output_array, c_output_options, c_ptr
      type(c_ptr), value :: team
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: count
      type(c_output_array), intent(in) :: arrays(*)
      type(c_output_options), intent(in) :: options
      type(c_ptr), intent(out) :: stream
      integer(c_int) :: status
    end function nearfar_output_create

    function nearfar_output_begin_step(stream, time, step) bind(C) result(status)
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: stream, step
      real(c_double), value :: time
      integer(c_int) :: status
    end function nearfar_output_begin_step

    function nearfar_output_begin_varying_step(stream, time, count, rows, step) bind(C) &
      result(status)
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: stream
      real(c_double), value :: time
      integer(c_int), value :: count
      integer(c_int64_t), intent(in) :: rows(*)
      type(c_ptr), value :: step
      integer(c_int) :: status
    end function nearfar_output_begin_varying_step

    function nearfar_output_put(stream, name, data) bind(C) result(status)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: stream, data
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int) :: status
    end function nearfar_output_put

    function nearfar_fortran_output_put(stream, name, shape, array) bind(C) result(status)
      import :: c_char, c_int, c_output_shape, c_ptr
      type(c_ptr), value :: stream
      character(kind=c_char), intent(in) :: name(*)
      type(c_output_shape), intent(in) :: shape
      type(*), dimension(..), intent(in) :: array
      integer(c_int) :: status
    end function nearfar_fortran_output_put

    function nearfar_fortran_type_of(array) bind(C) result(type)
      import :: c_int
      type(*), dimension(..), intent(in) :: array
      integer(c_int) :: type
    end function nearfar_fortran_type_of

    function nearfar_output_slot_of(stream, name, slot) bind(C) result(status)
      import :: c_char, c_int, c_output_slot, c_ptr
      type(c_ptr), value :: stream
      character(kind=c_char), intent(in) :: name(*)
      type(c_output_slot), intent(out) :: slot
      integer(c_int) :: status
    end function nearfar_output_slot_of

    function nearfar_output_end_step(stream) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: stream
      integer(c_int) :: status
    end function nearfar_output_end_step

    function nearfar_output_flush(stream) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: stream
      integer(c_int) :: status
    end function nearfar_output_flush

    function nearfar_output_close(stream) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: stream
      integer(c_int) :: status
    end function nearfar_output_close

    function nearfar_output_free(stream) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: stream
      integer(c_int) :: status
    end function nearfar_output_free

    function nearfar_output_steps(stream) bind(C) result(number)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: stream
      integer(c_int64_t) :: number
    end function nearfar_output_steps

    function nearfar_output_written_steps(stream) bind(C) result(number)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: stream
      integer(c_int64_t) :: number
    end function nearfar_output_written_steps

    function nearfar_output_describe(stream) bind(C) result(text)
      import :: c_ptr
      type(c_ptr), value :: stream
      type(c_ptr) :: text
    end function nearfar_output_describe

    function c_output_steps_at(path, capacity, steps, count) &
      bind(C, name='nearfar_output_steps_at') result(status)
      import :: c_char, c_int, c_int64_t, c_output_step
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int64_t), value :: capacity
      type(c_output_step), intent(inout) :: steps(*)
      integer(c_int64_t), intent(out) :: count
      integer(c_int) :: status
    end function c_output_steps_at

    function c_output_verify(path, capacity, reports, count) &
      bind(C, name='nearfar_output_verify') result(status)
      import :: c_char, c_int, c_int64_t, c_output_report
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int64_t), value :: capacity
      type(c_output_report), intent(inout) :: reports(*)
      integer(c_int64_t), intent(out) :: count
      integer(c_int) :: status
    end function c_output_verify
  end interface
end module nearfar_outputs_c
