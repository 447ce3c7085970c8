! SPDX-License-Identifier: BSD-3-Clause
! The functions of the C interface that distributions and plans of irregular gathers are built on.
module nearfar_distributions_c
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_funptr, c_int, c_int64_t, c_ptr, &
    c_size_t
  implicit none (type, external)
  private :: c_char, c_double, c_funptr, c_int, c_int64_t, c_ptr, c_size_t
  public

  type, bind(C) :: c_distribution_rule
    integer(c_int64_t) :: elements, own_elements
    type(c_funptr) :: locate, globals
    type(c_ptr) :: context
    type(c_funptr) :: release
  end type c_distribution_rule

  type, bind(C) :: c_gather_options
    type(c_ptr) :: name, method
    integer(c_int) :: order
    real(c_double) :: budget_s
    integer(c_size_t) :: element_bytes
    integer(c_int) :: threads
  end type c_gather_options

  interface
    function nearfar_distribution_block(team, elements, handle) bind(C) result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: team
      integer(c_int64_t), value :: elements
      type(c_ptr), intent(inout) :: handle
      integer(c_int) :: status
    end function nearfar_distribution_block

    function nearfar_distribution_block_sizes(team, own_elements, handle) bind(C) result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: team
      integer(c_int64_t), value :: own_elements
      type(c_ptr), intent(inout) :: handle
      integer(c_int) :: status
    end function nearfar_distribution_block_sizes

    function nearfar_distribution_cyclic(team, elements, handle) bind(C) result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: team
      integer(c_int64_t), value :: elements
      type(c_ptr), intent(inout) :: handle
      integer(c_int) :: status
    end function nearfar_distribution_cyclic

    function nearfar_distribution_block_cyclic(team, elements, block_elements, handle) &
      bind(C) result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: team
      integer(c_int64_t), value :: elements, block_elements
      type(c_ptr), intent(inout) :: handle
      integer(c_int) :: status
    end function nearfar_distribution_block_cyclic

    function nearfar_distribution_two_block(team, elements, first_elements, handle) &
      bind(C) result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: team
      integer(c_int64_t), value :: elements, first_elements
      type(c_ptr), intent(inout) :: handle
      integer(c_int) :: status
    end function nearfar_distribution_two_block

    function nearfar_distribution_reversed_two_block(team, elements, first_elements, handle) &
      bind(C) result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: team
      integer(c_int64_t), value :: elements, first_elements
      type(c_ptr), intent(inout) :: handle
      integer(c_int) :: status
    end function nearfar_distribution_reversed_two_block

    function nearfar_distribution_from_owned(team, count, owned, handle) bind(C) result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: team
      integer(c_int64_t), value :: count
      integer(c_int64_t), intent(in) :: owned(*)
      type(c_ptr), intent(inout) :: handle
      integer(c_int) :: status
    end function nearfar_distribution_from_owned

    function nearfar_distribution_from_rule(team, rule, handle) bind(C) result(status)
      import :: c_distribution_rule, c_int, c_ptr
      type(c_ptr), value :: team
      type(c_distribution_rule), intent(in) :: rule
      type(c_ptr), intent(inout) :: handle
      integer(c_int) :: status
    end function nearfar_distribution_from_rule

    function nearfar_distribution_free(handle) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: handle
      integer(c_int) :: status
    end function nearfar_distribution_free

    pure function nearfar_distribution_elements(handle) bind(C) result(elements)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: handle
      integer(c_int64_t) :: elements
    end function nearfar_distribution_elements

    pure function nearfar_distribution_owned(handle) bind(C) result(owned)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: handle
      integer(c_int64_t) :: owned
    end function nearfar_distribution_owned

    function nearfar_distribution_describe(handle) bind(C) result(text)
      import :: c_ptr
      type(c_ptr), value :: handle
      type(c_ptr) :: text
    end function nearfar_distribution_describe

    function nearfar_distribution_locate(handle, count, indices, owners, offsets) &
      bind(C) result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: handle
      integer(c_int64_t), value :: count
      integer(c_int64_t), intent(in) :: indices(*)
      integer(c_int), intent(out) :: owners(*)
      integer(c_int64_t), intent(out) :: offsets(*)
      integer(c_int) :: status
    end function nearfar_distribution_locate

    function nearfar_distribution_globals(handle, count, offsets, indices) bind(C) result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: handle
      integer(c_int64_t), value :: count
      integer(c_int64_t), intent(in) :: offsets(*)
      integer(c_int64_t), intent(out) :: indices(*)
      integer(c_int) :: status
    end function nearfar_distribution_globals

    function nearfar_distribution_check(handle, sample) bind(C) result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: handle
      integer(c_int64_t), value :: sample
      integer(c_int) :: status
    end function nearfar_distribution_check

    ! Index plans

    function nearfar_index_plan_create(distribution, count, indices, options, plan) &
      bind(C) result(status)
      import :: c_gather_options, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: distribution
      integer(c_int64_t), value :: count
      integer(c_int64_t), intent(in) :: indices(*)
      type(c_gather_options), intent(in) :: options
      type(c_ptr), intent(inout) :: plan
      integer(c_int) :: status
    end function nearfar_index_plan_create

    function nearfar_index_plan_update(plan, distribution, count, indices) bind(C) result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: plan, distribution
      integer(c_int64_t), value :: count
      integer(c_int64_t), intent(in) :: indices(*)
      integer(c_int) :: status
    end function nearfar_index_plan_update

    function nearfar_index_plan_free(plan) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), intent(inout) :: plan
      integer(c_int) :: status
    end function nearfar_index_plan_free

    pure function nearfar_index_plan_owned(plan) bind(C) result(owned)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: plan
      integer(c_int64_t) :: owned
    end function nearfar_index_plan_owned

    pure function nearfar_index_plan_ghosts(plan) bind(C) result(ghosts)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: plan
      integer(c_int64_t) :: ghosts
    end function nearfar_index_plan_ghosts

    pure function nearfar_index_plan_references(plan) bind(C) result(references)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: plan
      integer(c_int64_t) :: references
    end function nearfar_index_plan_references

    function nearfar_index_plan_local_indices(plan) bind(C) result(indices)
      import :: c_ptr
      type(c_ptr), value :: plan
      type(c_ptr) :: indices
    end function nearfar_index_plan_local_indices

    function nearfar_index_plan_ghost_indices(plan, indices) bind(C) result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: plan
      integer(c_int64_t), intent(out) :: indices(*)
      integer(c_int) :: status
    end function nearfar_index_plan_ghost_indices

    function nearfar_index_plan_method(plan) bind(C) result(text)
      import :: c_ptr
      type(c_ptr), value :: plan
      type(c_ptr) :: text
    end function nearfar_index_plan_method

    function nearfar_index_plan_describe(plan) bind(C) result(text)
      import :: c_ptr
      type(c_ptr), value :: plan
      type(c_ptr) :: text
    end function nearfar_index_plan_describe

    function nearfar_index_plan_tuned_seconds(plan) bind(C) result(seconds)
      import :: c_double, c_ptr
      type(c_ptr), value :: plan
      real(c_double) :: seconds
    end function nearfar_index_plan_tuned_seconds

    function nearfar_index_plan_test(plan, done) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      integer(c_int), intent(out) :: done
      integer(c_int) :: status
    end function nearfar_index_plan_test

    function nearfar_index_plan_finish(plan) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      integer(c_int) :: status
    end function nearfar_index_plan_finish

    function nearfar_fortran_gather(plan, kind, op, is_start, x, values) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: plan
      integer(c_int), value :: kind, op, is_start
      type(*), optional :: x(..), values(..)
      integer(c_int) :: status
    end function nearfar_fortran_gather

    function nearfar_agree(team, complaint) bind(C) result(status)
      import :: c_char, c_int, c_ptr
      type(c_ptr), value :: team
      character(kind=c_char), intent(in) :: complaint(*)
      integer(c_int) :: status
    end function nearfar_agree

    function nearfar_allocate(team, bytes, data) bind(C) result(status)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: team
      integer(c_int64_t), value :: bytes
      type(c_ptr), intent(inout) :: data
      integer(c_int) :: status
    end function nearfar_allocate

    function nearfar_free(team, data) bind(C) result(status)
      import :: c_int, c_ptr
      type(c_ptr), value :: team
      type(c_ptr), intent(inout) :: data
      integer(c_int) :: status
    end function nearfar_free
  end interface

end module nearfar_distributions_c
