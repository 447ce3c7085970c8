! SPDX-License-Identifier: BSD-3-Clause
! Which state of the sources the program was built from. The answer lies in a submodule that the
! build writes (cmake/revision.cmake), so that a new commit compiles that one file and nothing else.
module weather_version
  implicit none (type, external)
  private
  public :: source_revision

  interface
    !> `git describe` of the sources; 'unknown' where they are a copy.
    module function source_revision() result(text)
      character(:), allocatable :: text
    end function source_revision
  end interface
end module weather_version
