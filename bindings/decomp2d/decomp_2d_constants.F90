! SPDX-License-Identifier: BSD-3-Clause
! The constants that programs of 2DECOMP&FFT know: precision, pencils, signs, levels of logs.
module decomp_2d_constants
  use, intrinsic :: iso_fortran_env, only: real32, real64
  use mpi
  implicit none
  public

#ifdef NEARFAR_SINGLE
  integer, parameter :: mytype = real32
  integer, parameter :: real_type = MPI_REAL, complex_type = MPI_COMPLEX, real2_type = MPI_2REAL
#else
  integer, parameter :: mytype = real64
  integer, parameter :: real_type = MPI_DOUBLE_PRECISION, complex_type = MPI_DOUBLE_COMPLEX, &
    real2_type = MPI_2DOUBLE_PRECISION
#endif
  integer, parameter :: mytype_single = mytype, real_type_single = real_type

  integer, parameter :: D2D_LOG_QUIET = 0, D2D_LOG_STDOUT = 1, D2D_LOG_TOFILE = 2, &
    D2D_LOG_TOFILE_FULL = 3
  integer, parameter :: D2D_DEBUG_LEVEL_OFF = 0, D2D_DEBUG_LEVEL_CRITICAL = 1, &
    D2D_DEBUG_LEVEL_ERROR = 2, D2D_DEBUG_LEVEL_WARN = 3, D2D_DEBUG_LEVEL_INFO = 4, &
    D2D_DEBUG_LEVEL_DEBUG = 5, D2D_DEBUG_LEVEL_TRACE = 6
  integer, parameter :: DECOMP_PROFILER_NONE = 0, DECOMP_PROFILER_CALIPER = 1
  integer, parameter :: D2D_FFT_BACKEND_GENERIC = 0, D2D_FFT_BACKEND_FFTW3 = 1, &
    D2D_FFT_BACKEND_FFTW3_F03 = 2, D2D_FFT_BACKEND_MKL = 3, D2D_FFT_BACKEND_CUFFT = 4

  integer, parameter :: DECOMP_2D_FFT_FORWARD = -1, DECOMP_2D_FFT_BACKWARD = 1
  integer, parameter :: PHYSICAL_IN_X = 1  ! forward takes x pencils and gives z pencils
  integer, parameter :: PHYSICAL_IN_Z = 3  ! forward takes z pencils and gives x pencils
  logical, parameter :: DECOMP_2D_FFT_INPLACE = .false.
  integer, parameter :: DECOMP_2D_IO_NONE = 0, DECOMP_2D_IO_MPI = 1, DECOMP_2D_IO_ADIOS2 = 2
  integer, parameter :: DECOMP_2D_WRITE_MODE = 1, DECOMP_2D_READ_MODE = 2, &
    DECOMP_2D_APPEND_MODE = 3
  integer, parameter :: DECOMP_2D_IO_DEFERRED = 1, DECOMP_2D_IO_SYNC = 2
  logical, parameter :: DEFAULT_OPT_REDUCE_PREC = .false.
  integer, parameter :: D2D_MAJOR = 2, D2D_MINOR = 2  ! whose names these are
end module decomp_2d_constants
