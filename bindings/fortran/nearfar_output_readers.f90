! SPDX-License-Identifier: BSD-3-Clause
! Steps of output streams read back onto any decomposition. Dimensions are listed fastest first,
! indices start at 1; steps are numbered from 0, as in the names of files.
!
!   call in%create(team, 'run/wave', stride=-1)                  ! imaging: backwards
!   call in%add('p', p, lower, upper, ghosts=4)                  ! for each array that is wanted
!   call in%select()
!   do step = in%steps() - 1, 0, -1
!     call in%begin_step(step, time); call in%get('p', p); call in%end_step()
!   end do
!   call in%free()
module nearfar_output_readers
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, c_int, &
    c_int64_t, c_loc, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use nearfar_c, only: c_output_array, c_output_attribute, c_output_reader_options, &
    c_output_selection, c_output_step, nearfar_agree, nearfar_fortran_output_get, &
    nearfar_output_reader_array, nearfar_output_reader_arrays, nearfar_output_reader_begin_step, &
    nearfar_output_reader_create, nearfar_output_reader_describe, nearfar_output_reader_end_step, &
    nearfar_output_reader_free, nearfar_output_reader_get, nearfar_output_reader_select, &
    nearfar_output_reader_steps, nearfar_output_reader_team
  use nearfar_faults, only: c_text, description_of, settle, text_of
  use nearfar_objects, only: borrow, freeable, hold, live, nearfar_object, release
  use nearfar_output_descriptions, only: describe_array, described_array, place_of, &
    shape_of
  use nearfar_plan_options, only: switch_of
  use nearfar_teams, only: nearfar_team
  use nearfar_words, only: element_type_words
  implicit none (type, external)
  private
  public :: nearfar_output_reader

  !> A reader of a stream. Not to be copied once it is created.
  type, extends(nearfar_object) :: nearfar_output_reader
    type(described_array), allocatable, private :: added(:), selected(:)
    character(:), allocatable, private :: complaint  ! the first thing that was wrong with add()
  contains
    procedure :: create => reader_create
    procedure :: steps => reader_steps          !! that are whole: 0 to steps() - 1
    procedure :: times => reader_times          !! of these steps
    procedure :: arrays => reader_arrays        !! how many the stream has
    procedure :: name => reader_name            !! of array 1 to arrays()
    procedure :: extents => reader_extents      !! of a whole array, fastest first
    procedure :: element_type => reader_type    !! of an array: 'float32' and so on
    procedure :: attribute => reader_attribute  !! of an array; '' where it has none of that key
    procedure, private :: add_32, add_64
    generic :: add => add_32, add_64
    procedure :: select => reader_select
    procedure, private :: begin_step_32, begin_step_64
    generic :: begin_step => begin_step_32, begin_step_64
    procedure :: get => reader_get
    procedure :: end_step => reader_end_step    !! the buffer is free; local
    procedure :: team => output_reader_team              !! whose ranks it works for; local
    procedure :: describe => output_reader_describe    !! steps read and foreseen, waiting, copying
    procedure :: free => reader_free            !! local
  end type nearfar_output_reader

contains

  include 'generated/output_readers_32.inc'

  !> A reader of the steps that the journal at `path` says are whole, written by whatever number of
  !> ranks, also of a program that was killed; of all formats but adios2, of arrays that do not
  !> vary. stride: after step s the program will ask for s + stride and so on, which a thread
  !> without MPI calls reads ahead: 1 (default), -1: backwards. reads_ahead: .false.: nothing is.
  !> depth: steps that are in memory at most (default 2). most_bytes: of all these on this rank.
  !> checksum: the data are compared with the journal's sums (default). Collective over the team.
  subroutine reader_create(self, team, path, stride, reads_ahead, depth, most_bytes, checksum, &
    stat, errmsg)
    class(nearfar_output_reader), intent(inout) :: self
    type(nearfar_team), intent(in) :: team
    character(*), intent(in) :: path
    integer, intent(in), optional :: stride, depth
    integer(int64), intent(in), optional :: most_bytes
    logical, intent(in), optional :: reads_ahead, checksum
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_output_reader_options) :: options
    integer(c_int) :: status

    options = c_output_reader_options()
    if (present(stride)) options%stride = int(stride, c_int64_t)
    if (present(reads_ahead)) options%reads_ahead = switch_of(reads_ahead)
    if (present(depth)) options%depth = int(depth, c_int)
    if (present(most_bytes)) options%most_bytes = most_bytes
    if (present(checksum)) options%checksum = switch_of(checksum)
    status = nearfar_output_reader_create(live(team), c_text(path), options, self%handle)
    call hold(self, status)
    call settle(status, 'output_reader%create', stat, errmsg)
  end subroutine reader_create

  ! ---- what there is ----

  !> -1 where there is no reader.
  integer(int64) function reader_steps(self)
    class(nearfar_output_reader), intent(in) :: self
    type(c_output_step) :: first(1)
    integer(c_int64_t) :: count

    reader_steps = -1
    if (nearfar_output_reader_steps(live(self), 0_c_int64_t, first, count) == 0) &
      reader_steps = count
  end function reader_steps

  subroutine reader_times(self, times, stat, errmsg)
    class(nearfar_output_reader), intent(in) :: self
    real(real64), allocatable, intent(out) :: times(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(c_output_step), allocatable :: found(:)
    integer(c_int64_t) :: count
    integer(c_int) :: status

    allocate (found(max(self%steps(), 0_int64)))
    status = nearfar_output_reader_steps(live(self), size(found, kind=c_int64_t), found, count)
    times = real(found%time, real64)
    call settle(status, 'output_reader%times', stat, errmsg)
  end subroutine reader_times

  pure integer function reader_arrays(self)
    class(nearfar_output_reader), intent(in) :: self
    reader_arrays = int(nearfar_output_reader_arrays(live(self)))
  end function reader_arrays

  !> '' where there is no such array.
  function reader_name(self, number) result(name)
    class(nearfar_output_reader), intent(in) :: self
    integer, intent(in) :: number
    character(:), allocatable :: name
    type(c_output_array) :: array

    name = ''
    if (nearfar_output_reader_array(live(self), int(number - 1, c_int), array) == 0) &
      name = text_of(array%name)
  end function reader_name

  !> Of no elements where there is no such array.
  function reader_extents(self, name) result(extents)
    class(nearfar_output_reader), intent(in) :: self
    character(*), intent(in) :: name
    integer(int64), allocatable :: extents(:)
    integer(c_int64_t), pointer :: slowest_first(:)
    type(c_output_array) :: array

    allocate (extents(0))
    if (.not. found(self, name, array)) return
    call c_f_pointer(array%extents, slowest_first, [array%dimensions])
    extents = slowest_first(size(slowest_first):1:-1)
  end function reader_extents

  !> int8, int16, int32, int64, float32, float64, complex64 or complex128; '': no such array.
  function reader_type(self, name) result(type_name)
    class(nearfar_output_reader), intent(in) :: self
    character(*), intent(in) :: name
    character(:), allocatable :: type_name
    type(c_output_array) :: array

    type_name = ''
    if (found(self, name, array)) type_name = trim(element_type_words(array%type))
  end function reader_type

  function reader_attribute(self, name, key) result(words)
    class(nearfar_output_reader), intent(in) :: self
    character(*), intent(in) :: name, key
    character(:), allocatable :: words
    type(c_output_attribute), pointer :: attributes(:)
    type(c_output_array) :: array
    integer :: i

    words = ''
    if (.not. found(self, name, array)) return
    if (array%attribute_count == 0) return
    call c_f_pointer(array%attributes, attributes, [array%attribute_count])
    do i = 1, size(attributes)
      if (text_of(attributes(i)%key) == key) words = text_of(attributes(i)%value)
    end do
  end function reader_attribute

  logical function found(self, name, array)
    class(nearfar_output_reader), intent(in) :: self
    character(*), intent(in) :: name
    type(c_output_array), intent(out) :: array
    integer :: i

    found = .false.
    do i = 1, self%arrays()
      if (self%name(i) /= name) cycle
      found = nearfar_output_reader_array(live(self), int(i - 1, c_int), array) == 0
      return
    end do
  end function found

  ! ---- what is wanted ----

  !> The box lower(:):upper(:) of an array, any that is inside it, which may be empty. like: any
  !> array or scalar of the elements' type, which is that of the stream. ghosts: cells around the
  !> box in arrays that are got: one number, one per dimension, or (2, dimensions); they keep what
  !> they have. Local; what is wrong is an error of select, on every rank.
  subroutine add_64(self, name, like, lower, upper, ghosts)
    class(nearfar_output_reader), intent(inout) :: self
    character(*), intent(in) :: name
    type(*), dimension(..), intent(in) :: like
    integer(int64), intent(in) :: lower(:), upper(:)
    integer, intent(in), optional :: ghosts(..)
    type(described_array) :: array
    type(c_output_array) :: written
    character(:), allocatable :: complaint

    call describe_array(array, complaint, name, like, upper, lower, upper, ghosts)
    if (complaint == '') then
      if (found(self, name, written)) then
        if (written%type /= array%type) complaint = 'its elements are ' // &
          trim(element_type_words(written%type)) // ', not ' // trim(element_type_words(array%type))
        if (written%dimensions /= array%dimensions) complaint = &
          'it has another number of dimensions'
      end if
    end if
    if (.not. allocated(self%added)) allocate (self%added(0))
    if (.not. allocated(self%complaint)) self%complaint = ''
    self%added = [self%added, array]
    if (complaint /= '' .and. self%complaint == '') &
      self%complaint = "array '" // name // "': " // complaint
  end subroutine add_64

  !> Steps are read of what was added since the last select, no more of what that selected. Takes
  !> the memory, and reads the arrays that are constant. Collective, between steps.
  subroutine reader_select(self, stat, errmsg)
    class(nearfar_output_reader), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status

    if (.not. allocated(self%added)) allocate (self%added(0))
    if (.not. allocated(self%complaint)) self%complaint = ''
    status = 0
    if (c_associated(live(self))) status = &
      nearfar_agree(nearfar_output_reader_team(live(self)), c_text(self%complaint))
    if (status == 0) status = selected_by_c(self)
    if (status == 0) self%selected = self%added
    deallocate (self%added, self%complaint)
    call settle(status, 'output_reader%select', stat, errmsg)
  end subroutine reader_select

  integer(c_int) function selected_by_c(self) result(status)
    class(nearfar_output_reader), intent(in), target :: self
    type(c_output_selection), allocatable :: wanted(:)
    integer :: i

    allocate (wanted(size(self%added)))
    do i = 1, size(wanted)
      wanted(i) = c_output_selection(c_loc(self%added(i)%name), self%added(i)%own, &
        c_loc(self%added(i)%padding))
    end do
    status = nearfar_output_reader_select(live(self), int(size(wanted), c_int), wanted)
  end function selected_by_c

  ! ---- steps ----

  !> Waits until this rank's boxes of the step, 0 to steps() - 1, are here. Collective. A file that
  !> is damaged, missing or too short is an error on every rank; no step is under way then.
  subroutine begin_step_64(self, step, time, stat, errmsg)
    class(nearfar_output_reader), intent(in) :: self
    integer(int64), intent(in) :: step
    real(real64), intent(out), optional :: time
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(c_double) :: found_time
    integer(c_int) :: status

    found_time = 0
    status = nearfar_output_reader_begin_step(live(self), int(step, c_int64_t), found_time)
    if (present(time)) time = found_time
    call settle(status, 'output_reader%begin_step', stat, errmsg)
  end subroutine begin_step_64

  !> Copies the box into `array`, which has its shape, or that with the ghost cells around;
  !> contiguous or a section. Local.
  subroutine reader_get(self, name, array, stat, errmsg)
    class(nearfar_output_reader), intent(in) :: self
    character(*), intent(in) :: name
    type(*), dimension(..), intent(inout) :: array
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    integer(c_int) :: status
    integer :: a

    a = place_of(name, self%selected)
    if (a == 0) then
      status = nearfar_output_reader_get(live(self), c_text(name), c_null_ptr)
    else
      status = nearfar_fortran_output_get(live(self), c_text(name), shape_of(self%selected(a)), &
        array)
    end if
    call settle(status, 'output_reader%get', stat, errmsg)
  end subroutine reader_get

  subroutine reader_end_step(self, stat, errmsg)
    class(nearfar_output_reader), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    call settle(nearfar_output_reader_end_step(live(self)), 'output_reader%end_step', stat, errmsg)
  end subroutine reader_end_step

  subroutine reader_free(self, stat, errmsg)
    class(nearfar_output_reader), intent(inout) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    if (allocated(self%added)) deallocate (self%added)
    if (allocated(self%selected)) deallocate (self%selected)
    if (allocated(self%complaint)) deallocate (self%complaint)
    call output_reader_free(self, stat, errmsg)
  end subroutine reader_free

  include 'generated/output_reader_object.inc'
  include 'generated/output_reader_of_team.inc'

end module nearfar_output_readers
