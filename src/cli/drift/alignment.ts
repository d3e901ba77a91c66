import { percentEncode } from '../../auth/headers/percent.js';
import { wireTime } from '../../common/db/postgres/stored-times.js';
import { DAY_MS } from '../../common/time/days.js';
import { isObject } from '../../common/values/is-object.js';
import type { Exchange } from './recording.js';

/** Fields whose values are ids. */
const ID_FIELD = /(^|_)(ids?|id_str|key|keys|uri|cursor|token)$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/;

/** What the ids of a record are called here, and how far its times are in the past. */
export class Alignment {
  private readonly here: Map<string, string>;
  private readonly taken: Set<string>;

  /** `known`: ids of the record, each with the id here. */
  constructor(known: Iterable<readonly [string, string]>) {
    this.here = new Map(known);
    this.taken = new Set(this.here.values());
  }

  /** Notes what a resource of the record is called here, from two answers to the same request. */
  learn(recorded: unknown, here: unknown, name = ''): void {
    if (Array.isArray(recorded) && Array.isArray(here)) {
      for (const [i, each] of recorded.entries()) if (i < here.length) this.learn(each, here[i], name);
    } else if (isObject(recorded) && isObject(here)) {
      for (const [field, value] of Object.entries(recorded)) this.learn(value, here[field], field);
    } else if (ID_FIELD.test(name) && isId(recorded) && isId(here)) this.note(String(recorded), String(here));
  }

  /** The first answer with an id decides: items of two lists may be in different orders. */
  private note(recorded: string, here: string): void {
    if (this.here.has(recorded) || this.taken.has(here)) return;
    this.here.set(recorded, here);
    this.taken.add(here);
  }

  /** The id here of an id of the record. */
  idOf(recorded: string): string | undefined {
    return this.here.get(recorded);
  }

  /** The request of a record as it is sent here: with our ids, and with times as far from now as they were then. */
  request({ url, form, json, at }: Exchange, now: number): Pick<Exchange, 'url' | 'form' | 'json'> {
    // by whole days, so that hours and midnights remain
    const shift = at === undefined ? 0 : Math.floor((now - at) / DAY_MS) * DAY_MS;
    const text = (value: string) =>
      value
        .split(',')
        .map((each) => this.textOf(each, shift))
        .join(',');
    const pair = ([name, value]: [string, string]): [string, string] => [name, text(value)];
    const aligned = new URL(url);
    aligned.pathname = url.pathname
      .split('/')
      .map((segment) => segmentOf(segment, text))
      .join('/');
    aligned.search = new URLSearchParams([...url.searchParams].map(pair)).toString();
    const body = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(body);
      if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, body(each)]));
      return typeof value === 'string' ? text(value) : value;
    };
    return { url: aligned, form: form.map(pair), ...(json !== undefined && { json: body(json) }) };
  }

  private textOf(value: string, shift: number): string {
    const id = this.here.get(value);
    if (id !== undefined) return id;
    if (!TIME.test(value) || shift === 0) return value;
    const moved = new Date(Date.parse(value) + shift);
    // February 45 is sent as it is, and so is a time that no date has
    return Number.isNaN(moved.getTime()) ? value : wireTime(moved);
  }
}

/** A segment of a path with another text. One whose percent signs encode nothing stays. */
function segmentOf(segment: string, text: (value: string) => string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(segment);
  } catch {
    return segment;
  }
  return percentEncode(text(decoded));
}

const isId = (value: unknown): boolean => (typeof value === 'string' && value !== '') || typeof value === 'number';
