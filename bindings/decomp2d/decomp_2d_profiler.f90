! SPDX-License-Identifier: BSD-3-Clause
! The profiler's calls of 2DECOMP&FFT, which do nothing here: timers of programs may stay.
module decomp_2d_profiler
  use decomp_2d_constants, only: decomp_profiler_none
  implicit none
  public
  private :: decomp_profiler_none

  integer, save :: decomp_profiler = decomp_profiler_none
  logical, save :: decomp_profiler_transpose = .false., decomp_profiler_io = .false., &
    decomp_profiler_fft = .false., decomp_profiler_d2d = .false.

contains

  subroutine decomp_profiler_init()
  end subroutine decomp_profiler_init

  subroutine decomp_profiler_fin()
  end subroutine decomp_profiler_fin

  !> profiler_setup: of transpositions, IO, transforms, the rest.
  subroutine decomp_profiler_prep(profiler_setup)
    logical, intent(in), optional :: profiler_setup(4)
    if (present(profiler_setup)) continue
  end subroutine decomp_profiler_prep

  subroutine decomp_profiler_log(io_unit)
    integer, intent(in) :: io_unit
    if (io_unit == 0) continue
  end subroutine decomp_profiler_log

  subroutine decomp_profiler_start(timer_name)
    character(*), intent(in) :: timer_name
    if (len(timer_name) == 0) continue
  end subroutine decomp_profiler_start

  subroutine decomp_profiler_end(timer_name)
    character(*), intent(in) :: timer_name
    if (len(timer_name) == 0) continue
  end subroutine decomp_profiler_end

end module decomp_2d_profiler
