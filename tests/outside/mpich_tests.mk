# SPDX-License-Identifier: BSD-3-Clause
# Builds tests of MPICH's test-suite against any MPI, without the suite's configure: collectives, their errors, and the life of
# communicators, attributes and topologies.
#
#   make -k -f mpich_tests.mk SOURCE=<mpich>/test/mpi BUILD=<folder> CC=mpicc.openmpi
#
# Programs go to BUILD/FOLDER/NAME, as in the suite. Use -k: tests of newer entries do not compile with an older MPI.
ifeq ($(SOURCE)$(BUILD),)
$(error SOURCE (the folder test/mpi of MPICH's sources) and BUILD are needed)
endif
CC := $(if $(filter default,$(origin CC)),mpicc,$(CC))
folders := coll errors/coll comm attr topo
names := $(foreach folder,$(folders),$(addprefix $(folder)/,$(sort $(shell \
           sed -n 's/^\([a-z][A-Za-z0-9_]*\) .*/\1/p' $(wildcard $(SOURCE)/$(folder)/testlist $(SOURCE)/$(folder)/testlist.in)))))
dtpools := $(wildcard $(SOURCE)/dtpools/src/*.c)
helpers := $(addprefix $(BUILD)/objects/,mtest.o mtest_common.o mtest_single.o dtypes.o run_mpitests.o \
                                         $(notdir $(dtpools:.c=.o)))
flags := -O1 -w -D_GNU_SOURCE -I$(BUILD)/include -I$(SOURCE)/include -I$(SOURCE)/dtpools/include
VPATH := $(SOURCE)/util:$(SOURCE)/dtpools/src

all: $(addprefix $(BUILD)/,$(names))

# MPI_Errhandler_set went with MPI 3.0; two of the tests still say it.
renamed := MPI_Errhandler_set MPI_Errhandler_set MPI_Comm_set_errhandler
# What the suite's configure would find on any Linux machine of today.
have := STDARG_H STRING_H UNISTD_H SYS_TIME_H SYS_RESOURCE_H GETRUSAGE LONG_DOUBLE LONG_LONG LONG_LONG_INT _BOOL \
        FLOAT__COMPLEX DOUBLE__COMPLEX LONG_DOUBLE__COMPLEX MPI_INIT_THREAD MPI_WIN_CREATE PTHREAD_H PTHREAD_BARRIER_INIT
$(BUILD)/include/mpitestconf.h:
	@mkdir -p $(BUILD)/include $(BUILD)/objects $(addprefix $(BUILD)/,$(folders))
	@printf '#undef %s\n#define %s %s\n' $(renamed) > $(BUILD)/include/mtest_mpix.h
	@printf '#define HAVE_%s 1\n' $(have) > $@
	@cp $@ $(BUILD)/dtpoolsconf.h
	@printf '#define THREAD_PACKAGE_NAME THREAD_PACKAGE_POSIX\n#define THREAD_PACKAGE_POSIX 1\n' >> $@

$(helpers): $(BUILD)/objects/%.o: %.c | $(BUILD)/include/mpitestconf.h
	$(CC) $(flags) -c $< -o $@

# An archive: the main program in it is taken by those tests that have none of their own.
$(BUILD)/objects/helpers.a: $(helpers)
	ar rcs $@ $^

$(BUILD)/%: $(SOURCE)/%.c $(BUILD)/objects/helpers.a
	$(CC) $(flags) $^ -lm -o $@

.PHONY: all
