// SPDX-License-Identifier: Apache-2.0
/* Lines of the log: which are written, what each has in front, and that none can be forged. */
#include "base/log.h"

#include "tests/unit/row.h"

#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <stdio.h>
#include <sys/mman.h>

enum { TEXT_MAX = 16384 };

/* What a call wrote to stderr and to the file. */
struct written {
	char on_stderr[TEXT_MAX];
	char in_file[TEXT_MAX];
};

static int memory_file(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	assert_true(fd >= 0 && fcntl(fd, F_SETFL, O_APPEND) == 0);
	return fd;
}

static void take(int fd, char buf[TEXT_MAX])
{
	ssize_t n = pread(fd, buf, TEXT_MAX - 1, 0);

	assert_true(n >= 0);
	buf[n] = '\0';
}

/* Runs @speak with both sinks caught. */
static void catch(void (*speak)(const char *text), const char *text, bool torn,
		  struct written *ret_written)
{
	int to_stderr = memory_file("stderr"), to_file = memory_file("file");
	int before = dup(STDERR_FILENO);

	dup2(to_stderr, STDERR_FILENO);
	log_to_file(dup(to_file), torn);
	speak(text);
	log_to_file(-1, false);
	dup2(before, STDERR_FILENO);
	close(before);
	take(to_stderr, ret_written->on_stderr);
	take(to_file, ret_written->in_file);
	close(to_stderr);
	close(to_file);
}

static void must_match(const char *row, const char *text, const char *pattern)
{
	regex_t regex;

	assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
	if (regexec(&regex, text, 0, NULL, 0) != 0)
		fail_msg("row \"%s\": \"%s\" must match %s", row, text, pattern);
	regfree(&regex);
}

static size_t count_lines(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* ---- levels ---- */

static void all_levels(const char *text)
{
	log_error("%s", text);
	log_warn("%s", text);
	log_info("%s", text);
	log_debug("%s", text);
}

static const struct {
	const char *name;
	enum log_level level;
	const char *on_stderr;
} levels[] = {
	{ "panic", LOG_LEVEL_PANIC, "" },
	{ "error", LOG_LEVEL_ERROR, "roce: error: x\n" },
	{ "warning", LOG_LEVEL_WARNING, "roce: error: x\nroce: warning: x\n" },
	{ "info", LOG_LEVEL_INFO, "roce: error: x\nroce: warning: x\nroce: x\n" },
	{ "debug", LOG_LEVEL_DEBUG, "roce: error: x\nroce: warning: x\nroce: x\nroce: debug: x\n" },
};

static void level_decides(void **state)
{
	static struct written written;

	(void)state;
	for_each_row(row, levels)
	{
		log_set_level(row->level);
		catch(all_levels, "x", false, &written);
		row_text(row->name, "stderr", written.on_stderr, row->on_stderr);
		row_int(row->name, "lines in the file", (long long)count_lines(written.in_file),
			(long long)count_lines(row->on_stderr));
		row_int(row->name, "debug is wanted", log_wants(LOG_LEVEL_DEBUG),
			row->level == LOG_LEVEL_DEBUG);
		row_true(row->name, "a clock only where it shows",
			 (log_clock() != 0) == (row->level == LOG_LEVEL_DEBUG));
	}
	log_set_level(LOG_LEVEL_INFO);
}

static int evaluated;

static const char *evaluate(void)
{
	evaluated++;
	return "x";
}

static void speak_debug(const char *text)
{
	(void)text;
	log_debug("%s", evaluate());
}

static void debug_is_free_when_off(void **state)
{
	static struct written written;

	(void)state;
	evaluated = 0;
	catch(speak_debug, "", false, &written);
	assert_int_equal(evaluated, 0);
	assert_string_equal(written.on_stderr, "");
	assert_string_equal(written.in_file, "");
}

/* ---- one line ---- */

static void warn(const char *text)
{
	log_warn("%s", text);
}

#define START "^[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]\\.[0-9]{3}Z warning roce\\[[0-9]+\\] "

static void file_has_more(void **state)
{
	static struct written written;

	(void)state;
	catch(warn, "text", false, &written);
	must_match("no subject", written.in_file, START "text\n$");
	assert_true(log_is_line(written.in_file));
	log_subject("ADD %s %s:%s", "rail", "c1", "net1");
	catch(warn, "text", false, &written);
	must_match("subject", written.in_file, START "ADD rail c1:net1: text\n$");
	assert_string_equal(written.on_stderr, "roce: warning: text\n");
	log_subject("ADD rail c1:%s", "a\nb");
	catch(warn, "text", false, &written);
	must_match("subject of a tenant", written.in_file, START "ADD rail c1:a\\\\x0ab: text\n$");
	catch(warn, "text", true, &written);
	must_match("behind a torn line", written.in_file + 1, START);
	assert_int_equal(written.in_file[0], '\n');
	log_subject("%s", "");
}

static const struct {
	const char *name, *text, *written;
} texts[] = {
	{ "plain", "MTU 1500 -> 9000; 100% \\x0a", "MTU 1500 -> 9000; 100% \\x0a" },
	{ "empty", "", "" },
	{ "new line", "a\nroce: b", "a\\x0aroce: b" },
	{ "new line at the end", "a\n", "a\\x0a" },
	{ "carriage return", "a\rb", "a\\x0db" },
	{ "escape", "\x1b[31mred", "\\x1b[31mred" },
	{ "tabulator and bell", "\t\a", "\\x09\\x07" },
	{ "delete", "\x7f", "\\x7f" },
	{ "control sequence introducer as UTF-8", "\xc2\x9b" "2J", "\\xc2\\x9b2J" },
	{ "letters beyond ASCII", "Gr\xc3\xbc\xc3\x9f" "e \xc2\xb5 \xe2\x86\x92",
	  "Gr\xc3\xbc\xc3\x9f" "e \xc2\xb5 \xe2\x86\x92" },
	{ "cut off within a letter", "a\xc2", "a\xc2" },
};

static void nothing_ends_a_line(void **state)
{
	static struct written written;

	(void)state;
	for_each_row(row, texts)
	{
		char want[128];

		catch(warn, row->text, false, &written);
		snprintf(want, sizeof(want), "roce: warning: %s\n", row->written);
		row_text(row->name, "stderr", written.on_stderr, want);
		row_int(row->name, "lines", (long long)count_lines(written.in_file), 1);
		snprintf(want, sizeof(want), "] %s\n", row->written);
		row_part(row->name, "the file", written.in_file, want);
	}
}

static void long_lines_are_cut(void **state)
{
	static struct written written;
	static char text[TEXT_MAX / 2];

	(void)state;
	for (int byte = '\n'; byte <= 'x'; byte += 'x' - '\n') {
		memset(text, byte, sizeof(text) - 1);
		catch(warn, text, false, &written);
		assert_int_equal(count_lines(written.on_stderr), 1);
		assert_int_equal(count_lines(written.in_file), 1);
		assert_true(strlen(written.in_file) <= LOG_LINE_SIZE);
		assert_true(strlen(written.in_file) > 1024);
		assert_true(log_is_line(written.in_file));
	}
}

static void speak_errno(const char *text)
{
	errno = ENOENT;
	log_warn("%s: %m", text);
	assert_int_equal(errno, ENOENT);
}

/* A line between a call that failed and the message about it must not change what failed. */
static void errno_survives(void **state)
{
	static struct written written;

	(void)state;
	catch(speak_errno, "x", false, &written);
	assert_string_equal(written.on_stderr, "roce: warning: x: No such file or directory\n");
}

static void full_disk_is_survived(void **state)
{
	(void)state;
	log_to_file(open("/dev/full", O_WRONLY | O_CLOEXEC), false);
	log_warn("this line is for a full disk");
	log_to_file(-1, false);
}

/* ---- whose line ---- */

static const struct {
	const char *text;
	bool is_ours;
} lines[] = {
	{ "2026-11-30T12:06:53.459Z debug roce[3152] ADD rail c1:net1: x", true },
	{ "2026-11-30T12:06:53.459Z error roce-ipam[1] x\n", true },
	{ "2026-11-30T12:06:53.459Z notice roce[3152] x", false },
	{ "2026-11-30T12:06:53.459Z debug sshd[3152] x", false },
	{ "2026-11-30T12:06:53.459Z debugroce[1] x", false },
	{ "2026-11-30T12:06:53Z debug roce[3152] x", false },
	{ "2026-11-30T12:06:53.459+01:00 debug roce[3152] x", false },
	{ "2016-10-06T00:17:09.669794202Z stdout F x", false }, /* a container's */
	{ "Nov 30 12:06:53 host sshd[1]: x", false },
	{ " 2026-11-30T12:06:53.459Z debug roce[3152] x", false },
	{ "2026-11-30T12", false },
	{ "", false },
};

static void lines_are_known(void **state)
{
	(void)state;
	for_each_row(row, lines) row_int(row->text, "ours", log_is_line(row->text), row->is_ours);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(level_decides),
		cmocka_unit_test(debug_is_free_when_off),
		cmocka_unit_test(file_has_more),
		cmocka_unit_test(nothing_ends_a_line),
		cmocka_unit_test(long_lines_are_cut),
		cmocka_unit_test(errno_survives),
		cmocka_unit_test(full_disk_is_survived),
		cmocka_unit_test(lines_are_known),
	};

	log_name("roce");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
