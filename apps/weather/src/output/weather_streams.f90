! SPDX-License-Identifier: BSD-3-Clause
! What the model's streams have in common: output, stations, histories.
module weather_streams
  use mpi_f08, only: MPI_COMM_WORLD, MPI_Comm_rank
  use nearfar, only: nearfar_output
  implicit none (type, external)
  private
  public :: is_root, add_of_root, refuse_existing

contains

  logical function is_root()
    integer :: rank
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    is_root = rank == 0
  end function is_root

  !> An array of which rank 0 has all.
  subroutine add_of_root(stream, name, like, dimensions, extents, is_constant, attributes)
    type(nearfar_output), intent(inout) :: stream
    character(*), intent(in) :: name, dimensions(:)
    type(*), dimension(..), intent(in) :: like
    integer, intent(in) :: extents(:)
    logical, intent(in) :: is_constant
    character(*), intent(in), optional :: attributes(:)
    integer :: lower(size(extents))
    lower = 1
    call stream%add(name, like, extents, lower, merge(extents, 0, is_root()), &
      attributes=attributes, dimensions=dimensions, is_constant=is_constant)
  end subroutine add_of_root

  !> A run that goes on from a history writes files of its own, and never over one that is there.
  subroutine refuse_existing(name, what, message)
    character(*), intent(in) :: name, what
    character(*), intent(inout) :: message
    logical :: there
    inquire (file=name, exist=there)
    if (there .and. message == '') message = what//' '''//name//''' is there already; a run '// &
      'with runtype = ''history'' writes a file of its own: give another output_file'
  end subroutine refuse_existing
end module weather_streams
