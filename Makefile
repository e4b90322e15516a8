# roce-cni: "make demo" shows the main job, "make test" runs every test, "make help" lists the rest.

CC      ?= gcc
STATIC  ?= 1
PREFIX  ?= /usr/local
CNI_DIR ?= /opt/cni/bin

# make V=1 shows every command
Q := $(if $(V),,@)
BUILD := build
BIN   := $(BUILD)/bin
VERSION := 0.1.0

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wswitch-enum -Wvla \
	-Wformat=2 -Werror
HARDENING := -fstack-protector-strong -D_FORTIFY_SOURCE=2 -fcf-protection
CPPFLAGS += -D_GNU_SOURCE -iquote . -isystem /usr/include/libnl3 -DROCE_VERSION='"$(VERSION)"'
CFLAGS   ?= -O2 -g
CFLAGS   += -std=gnu17 $(WARNINGS) $(HARDENING) -fPIE -ffunction-sections -fdata-sections
LDFLAGS  += -Wl,-z,relro,-z,now,-z,noexecstack -Wl,--gc-sections
ifeq ($(STATIC),1)
LDFLAGS  += -static-pie
else
LDFLAGS  += -pie
endif

NL_LIBS := -lnl-route-3 -lnl-3

# The verbs of the adapters that have RoCE; a shared libibverbs finds its providers by itself.
ifeq ($(STATIC),1)
PROVIDERS := mlx5 mlx4 bnxt_re irdma hns erdma mana qedr rxe
comma := ,
empty :=
VERBS_FLAGS := -DRDMA_STATIC_PROVIDERS=$(subst $(empty) $(empty),$(comma),$(PROVIDERS))
VERBS_LIBS := -Wl,--start-group -libverbs -lmlx5 -lmlx4 -lmana -lbnxt_re-rdmav34 -lirdma-rdmav34 \
	-lhns-rdmav34 -lerdma-rdmav34 -lqedr-rdmav34 -lrxe-rdmav34 -Wl,--end-group
else
VERBS_LIBS := -libverbs
endif

# One archive a room; a room's main.c and its tests are not in it.
ROOMS := base conf netlink ipam cni ctl
room_objects = $(patsubst %.c,$(BUILD)/%.o,$(filter-out $(1)/main.c,$(wildcard $(1)/*.c)))
lib = $(BUILD)/$(1).a

# The linker warns of libnl functions that want shared libraries (getaddrinfo); none of them is called.
define link
@echo "  LINK  $@"
$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(1) 2>$(BUILD)/link.log || { cat $(BUILD)/link.log; exit 1; }
endef

.PHONY: all clean install demo test unit lab-deps deps bench bench-ipam help format update-golden
all: $(BIN)/roce $(BIN)/roce-ipam $(BIN)/rocectl

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	@echo "  CC    $<"
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/netlink/verbs.o: CPPFLAGS += $(VERBS_FLAGS)

define room_rule
$(BUILD)/$(1).a: $(call room_objects,$(1))
	@mkdir -p $$(@D)
	$(Q)rm -f $$@
	$(Q)$(AR) rcs $$@ $$^
endef
$(foreach room,$(ROOMS),$(eval $(call room_rule,$(room))))

$(BIN)/roce: $(BUILD)/cni/main.o $(call lib,cni) $(call lib,netlink) $(call lib,conf) $(call lib,base)
	@mkdir -p $(@D)
	$(call link,$(VERBS_LIBS) $(NL_LIBS) -ljansson)

$(BIN)/roce-ipam: $(BUILD)/ipam/main.o $(call lib,ipam) $(call lib,conf) $(call lib,base)
	@mkdir -p $(@D)
	$(call link,-ljansson)

$(BIN)/rocectl: $(BUILD)/ctl/main.o $(call lib,ctl) $(call lib,cni) $(call lib,ipam) \
		$(call lib,netlink) $(call lib,conf) $(call lib,base)
	@mkdir -p $(@D)
	$(call link,$(NL_LIBS) -ljansson -lyaml)

install: all
	install -D -m 0755 $(BIN)/roce $(DESTDIR)$(CNI_DIR)/roce
	install -D -m 0755 $(BIN)/roce-ipam $(DESTDIR)$(CNI_DIR)/roce-ipam
	install -D -m 0755 $(BIN)/rocectl $(DESTDIR)$(PREFIX)/bin/rocectl
	install -D -m 0644 -t $(DESTDIR)$(PREFIX)/share/man/man5 docs/man/*.5
	install -D -m 0644 -t $(DESTDIR)$(PREFIX)/share/man/man8 docs/man/*.8
	install -D -m 0644 docs/completion/rocectl.bash \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/rocectl

# ---- trying and testing; each of these installs what it needs and lacks ----

deps:
	@tests/deps build

demo: deps
	@$(MAKE) --no-print-directory all
	@tests/demo.sh

lab-deps:
	@tests/lab/deps

# Unit tests are one program each; those of the allocator need ipam.a, the others the plugin's rooms.
UNIT_TESTS := $(patsubst tests/unit/%.c,$(BUILD)/unit/%,$(wildcard tests/unit/test_*.c))

$(BUILD)/unit/%: tests/unit/%.c $(call lib,cni) $(call lib,ipam) $(call lib,netlink) $(call lib,conf) \
		$(call lib,base)
	@mkdir -p $(@D)
	@echo "  TEST  $@"
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -pie -MMD -MP -o $@ $(filter %.c %.a,$^) -lcmocka $(VERBS_LIBS) $(NL_LIBS) -ljansson -lyaml

unit: $(UNIT_TESTS)

test:
	@tests/deps test
	@tests/run

bench:
	@tests/deps test
	@$(MAKE) --no-print-directory all
	@tests/speed.sh

bench-ipam:
	@tests/deps test
	@$(MAKE) --no-print-directory all
	@tests/bench_ipam.sh

update-golden: all
	UPDATE_GOLDEN=1 tests/ns/golden.sh
	tests/lab/run tests/lab/scenarios/golden.sh | bash -c '. tests/golden.sh; golden_write'

format:
	clang-format -i $(foreach room,$(ROOMS),$(wildcard $(room)/*.[ch]))

help:
	@sed -n 's/^#: //p' Makefile

#: make            build build/bin/{roce,roce-ipam,rocectl}; STATIC=0 dynamic, V=1 shows commands
#: make install    into DESTDIR: CNI_DIR=/opt/cni/bin, PREFIX=/usr/local
#: make demo       the main job in two throw-away network namespaces, in seconds (root)
#: make test       every test: unit, namespaces, the lab in a virtual machine (root)
#: make lab-deps   only fetch what the lab needs: QEMU, kernels, the RDMA test module
#: make bench      measure ADD and DEL against the same netlink calls by ip -batch
#: make bench-ipam measure roce-ipam against host-local, with up to 60,000 leases
#: make update-golden  write the golden files of rocectl validate anew, for git diff to show
#: make clean      remove build/

clean:
	rm -rf $(BUILD)

# Dependencies that the compiler found.
-include $(shell find $(addprefix $(BUILD)/,$(ROOMS) unit) -type f -name '*.d' 2>/dev/null)
