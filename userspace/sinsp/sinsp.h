/* SPDX-License-Identifier: MIT */
/*
 * The public interface of the engine: what the layers above use, declared in the engine's folders.
 */
#ifndef SINSP_SINSP_H
#define SINSP_SINSP_H

#include "sinsp/state/containers/container_json.h"
#include "sinsp/filter/tree.h"
#include "sinsp/filter/lex.h"
#include "sinsp/fields/field.h"
#include "sinsp/fields/param_form.h"
#include "sinsp/fields/text_value.h"
#include "sinsp/filter/filter.h"
#include "sinsp/format/csv.h"
#include "sinsp/format/event_hider.h"
#include "sinsp/format/formatter.h"
#include "sinsp/format/json.h"
#include "sinsp/format/match.h"
#include "sinsp/format/schema.h"
#include "sinsp/format/value.h"
#include "sinsp/state/container_state.h"
#include "sinsp/state/engine.h"
#include "sinsp/state/former.h"
#include "sinsp/state/kept.h"
#include "sinsp/state/peer.h"

#endif
