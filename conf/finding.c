// SPDX-License-Identifier: Apache-2.0
#include "conf/finding.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

struct finding *finding_add(struct findings *list, enum severity severity, enum err_code code,
			    const char *id, const char *fmt, ...)
{
	size_t slot = list->n < FINDINGS_MAX ? list->n++ : FINDINGS_MAX - 1;
	struct finding *finding = &list->items[slot];
	va_list ap;

	*finding = (struct finding){ .severity = severity, .code = code };
	snprintf(finding->id, sizeof(finding->id), "%s", id);
	va_start(ap, fmt);
	vsnprintf(finding->text, sizeof(finding->text), fmt, ap);
	va_end(ap);
	return finding;
}

void finding_fix(struct finding *finding, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(finding->fix, sizeof(finding->fix), fmt, ap);
	va_end(ap);
}

void finding_fix_or(struct finding *finding, const char *fmt, ...)
{
	size_t len = strlen(finding->fix);
	va_list ap;

	snprintf(finding->fix + len, sizeof(finding->fix) - len, ", or ");
	len = strlen(finding->fix);
	va_start(ap, fmt);
	vsnprintf(finding->fix + len, sizeof(finding->fix) - len, fmt, ap);
	va_end(ap);
}

int finding_refuse(const struct findings *list, struct err *err)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct finding *f = &list->items[i];
		const char *join = *f->fix ? "; fix: " : "";

		if (f->severity != SEVERITY_ERROR)
			continue;
		if (err_is_set(err))
			err_detail(err, "%s%s%s", f->text, join, f->fix);
		else
			err_set(err, f->code, -EINVAL, "%s: %s%s%s", err_code_name(f->code),
				f->text, join, f->fix);
	}
	return err_is_set(err) ? -EINVAL : 0;
}

static json_t *to_json(const struct finding *f)
{
	json_t *json = json_pack("{ss ss so so so}", "severity", finding_severity_name(f->severity),
				 "id", f->id, "hop", jx_readable(f->hop), "text",
				 jx_readable(f->text), "fix", jx_readable(f->fix));

	if (json && (f->have || f->want)) {
		json_object_set_new(json, "have", json_integer(f->have));
		json_object_set_new(json, "want", json_integer(f->want));
	}
	if (json && f->line) {
		json_object_set_new(json, "path", jx_readable(f->path));
		json_object_set_new(json, "line", json_integer(f->line));
	}
	return json;
}

json_t *finding_to_json(const struct findings *list)
{
	json_t *array = json_array();

	for (size_t i = 0; array && i < list->n; i++)
		json_array_append_new(array, to_json(&list->items[i]));
	return array;
}

const char *finding_severity_name(enum severity severity)
{
	static const char *const names[SEVERITY_MAX] = {
		[SEVERITY_INFO] = "info",
		[SEVERITY_WARNING] = "warning",
		[SEVERITY_ERROR] = "error",
	};

	return names[severity];
}
