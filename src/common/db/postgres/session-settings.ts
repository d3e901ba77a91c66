import type { ClientConfig, QueryConfig } from 'pg';

export const TIMEOUTS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'] as const;
/** `-c name=value` in the `options` of a connection. */
const OPTION = /(?:^|\s)-c\s*([\w.]+)=((?:\\.|[^\s\\])*)/g;

/** The settings sent at the start of a session, by name. */
export function sessionSettings(settings: ClientConfig): Map<string, string> {
  const asked = new Map<string, string>();
  for (const [, name, value] of (settings.options ?? '').matchAll(OPTION))
    asked.set(name, value.replace(/\\(.)/g, '$1'));
  // options in the URL take precedence over separate ones
  const given = settings.connectionString ? new URL(settings.connectionString).searchParams : undefined;
  for (const name of TIMEOUTS) {
    const value = given?.get(name) ?? settings[name];
    if (value) asked.set(name, String(parseInt(String(value), 10)));
  }
  return asked;
}

/** The settings of a connection without those of its session: a pooler in transaction mode rejects or drops them. */
export const withoutSessionSettings = <S extends ClientConfig>(settings: S): S => ({
  ...settings,
  options: undefined,
  ...Object.fromEntries(TIMEOUTS.map((name) => [name, undefined])),
});

/** Sets the settings of a session when they were dropped at its start. */
export function setStatement(settings: ClientConfig): QueryConfig {
  const asked = sessionSettings(settings);
  return { text: SET, values: [[...asked.keys()], [...asked.values()]] };
}

const SET = 'SELECT set_config(name, value, false) FROM unnest($1::text[], $2::text[]) AS asked(name, value)';
