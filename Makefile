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

# One archive a room; a room's main.c and its tests are not in it.
ROOMS := base conf netlink ipam cni ctl
room_objects = $(patsubst %.c,$(BUILD)/%.o,$(filter-out $(1)/main.c,$(wildcard $(1)/*.c)))
lib = $(BUILD)/$(1).a

.PHONY: all clean install demo test lab-deps deps test-deps bench help format
all: $(BIN)/roce $(BIN)/roce-ipam $(BIN)/rocectl

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	@echo "  CC    $<"
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

define room_rule
$(BUILD)/$(1).a: $(call room_objects,$(1))
	@mkdir -p $$(@D)
	$(Q)rm -f $$@
	$(Q)$(AR) rcs $$@ $$^
endef
$(foreach room,$(ROOMS),$(eval $(call room_rule,$(room))))

$(BIN)/roce: $(BUILD)/cni/main.o $(call lib,cni) $(call lib,netlink) $(call lib,conf) $(call lib,base)
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(NL_LIBS) -ljansson

$(BIN)/roce-ipam: $(BUILD)/ipam/main.o $(call lib,ipam) $(call lib,conf) $(call lib,base)
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -ljansson

$(BIN)/rocectl: $(BUILD)/ctl/main.o $(call lib,ctl) $(call lib,cni) $(call lib,netlink) \
		$(call lib,conf) $(call lib,base)
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(NL_LIBS) -ljansson

install: all
	install -D -m 0755 $(BIN)/roce $(DESTDIR)$(CNI_DIR)/roce
	install -D -m 0755 $(BIN)/roce-ipam $(DESTDIR)$(CNI_DIR)/roce-ipam
	install -D -m 0755 $(BIN)/rocectl $(DESTDIR)$(PREFIX)/bin/rocectl

clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
