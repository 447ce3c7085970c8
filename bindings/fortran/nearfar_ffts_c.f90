! SPDX-License-Identifier: BSD-3-Clause
! The functions of the C interface that transforms are built on.
module nearfar_ffts_c
  use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int64_t, c_ptr
  use nearfar_transposes_c, only: c_expected_array
  implicit none (type, external)
  private :: c_double, c_int, c_int64_t, c_ptr, c_expected_array
  public

  type, bind(C) :: c_fft_shape
    integer(c_int) :: dimensions
    type(c_ptr) :: extents, kinds, modes
  end type c_fft_shape

  type, bind(C) :: c_fft_layout_options
    type(c_ptr) :: physical, spectral, process_grid
    integer(c_int) :: process_grid_count
  end type c_fft_layout_options

  type, bind(C) :: c_fft_options
    type(c_ptr) :: name
    integer(c_int64_t) :: fields
    integer(c_int) :: scaling, nyquist
    type(c_ptr) :: engines, method, without
    integer(c_int) :: without_count
    real(c_double) :: budget_s
  end type c_fft_options

  interface
    function nearfar_fft_spectral_extents(shape, extents) bind(C) result(status)
      import :: c_fft_shape, c_int, c_int64_t
      type(c_fft_shape), intent(in) :: shape
      integer(c_int64_t), intent(inout) :: extents(*)
      integer(c_int) :: status
    end function nearfar_fft_spectral_extents

    function nearfar_fft_roundtrip_factor(shape) bind(C) result(factor)
      import :: c_double, c_fft_shape
      type(c_fft_shape), intent(in) :: shape
      real(c_double) :: factor
    end function nearfar_fft_roundtrip_factor

    function nearfar_fft_padded(shape, factor, extents, modes) bind(C) result(status)
      import :: c_double, c_fft_shape, c_int, c_int64_t
      type(c_fft_shape), intent(in) :: shape
      real(c_double), value :: factor
      integer(c_int64_t), intent(inout) :: extents(*), modes(*)
      integer(c_int) :: status
    end function nearfar_fft_padded

    function nearfar_fft_truncated(shape, factor, modes) bind(C) result(status)
      import :: c_double, c_fft_shape, c_int, c_int64_t
      type(c_fft_shape), intent(in) :: shape
      real(c_double), value :: factor
      integer(c_int64_t), intent(inout) :: modes(*)
      integer(c_int) :: status
    end function nearfar_fft_truncated

    function nearfar_fft_layout_create(team, shape, options, layout) bind(C) result(status)
      import :: c_fft_layout_options, c_fft_shape, c_int, c_ptr
      type(c_ptr), value :: team
      type(c_fft_shape), intent(in) :: shape
      type(c_fft_layout_options), intent(in) :: options
      type(c_ptr), intent(out) :: layout
      integer(c_int) :: status
    end function nearfar_fft_layout_create

    function nearfar_fft_layout_free(layout) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: layout
      integer(c_int) :: status
    end function nearfar_fft_layout_free

    function nearfar_fft_layout_physical(layout) bind(C) result(side)
      import :: c_ptr
      type(c_ptr), value :: layout
      type(c_ptr) :: side
    end function nearfar_fft_layout_physical

    function nearfar_fft_layout_spectral(layout) bind(C) result(side)
      import :: c_ptr
      type(c_ptr), value :: layout
      type(c_ptr) :: side
    end function nearfar_fft_layout_spectral

    function nearfar_fft_layout_is_physical_complex(layout) bind(C) result(answer)
      import :: c_int, c_ptr
      type(c_ptr), value :: layout
      integer(c_int) :: answer
    end function nearfar_fft_layout_is_physical_complex

    function nearfar_fft_layout_is_spectral_complex(layout) bind(C) result(answer)
      import :: c_int, c_ptr
      type(c_ptr), value :: layout
      integer(c_int) :: answer
    end function nearfar_fft_layout_is_spectral_complex

    function nearfar_fft_layout_describe(layout) bind(C) result(text)
      import :: c_ptr
      type(c_ptr), value :: layout
      type(c_ptr) :: text
    end function nearfar_fft_layout_describe

    function nearfar_fortran_fft_create(layout, expect_physical, expect_spectral, physical, &
      spectral, options, precision, plan) bind(C) result(status)
      import :: c_expected_array, c_fft_options, c_int, c_ptr
      type(c_ptr), value :: layout
      type(c_expected_array), intent(in) :: expect_physical, expect_spectral
      type(*), dimension(..), intent(in), target :: physical, spectral
      type(c_fft_options), intent(in) :: options
      integer(c_int), intent(out) :: precision
      type(c_ptr), intent(out) :: plan
      integer(c_int) :: status
    end function nearfar_fortran_fft_create

    function nearfar_fortran_fft_start(plan, is_backward, precision, expect_physical, &
      physical_parts, expect_spectral, spectral_parts, physical, spectral) bind(C) result(status)
      import :: c_expected_array, c_int, c_ptr
      type(c_ptr), value :: plan
      integer(c_int), value :: is_backward, precision, physical_parts, spectral_parts
      type(c_expected_array), intent(in) :: expect_physical, expect_spectral
      type(*), dimension(..), intent(in), target :: physical, spectral
      integer(c_int) :: status
    end function nearfar_fortran_fft_start

    function nearfar_fft_test(plan, done) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      integer(c_int), intent(inout) :: done
      integer(c_int) :: status
    end function nearfar_fft_test

    function nearfar_fft_finish(plan) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      integer(c_int) :: status
    end function nearfar_fft_finish

    function nearfar_fft_free(plan) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: plan
      integer(c_int) :: status
    end function nearfar_fft_free

    function nearfar_fft_work_bytes(plan) bind(C) result(bytes)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: plan
      integer(c_int64_t) :: bytes
    end function nearfar_fft_work_bytes

    function nearfar_fft_describe(plan) bind(C) result(text)
      import :: c_ptr
      type(c_ptr), value :: plan
      type(c_ptr) :: text
    end function nearfar_fft_describe
  end interface
end module nearfar_ffts_c
