import { REMEMBERED_DAYS } from '../entities/audience-identifier.entity.js';
import { personOf, type IdentifierKey } from './identifiers.js';

/** When a person's membership begins and ends, in epoch milliseconds. */
export interface ValidityWindow {
  effectiveAt: number;
  expiresAt: number;
}

/** A person with all its identifiers. `days` are pairs of a day and the number of uploads on it, oldest first. */
export interface Person extends ValidityWindow {
  keys: Set<IdentifierKey>;
  days: number[];
}

/** One user object of an upload. */
export interface MembershipStep {
  /** Absent for a Delete. */
  window?: ValidityWindow;
  keys: readonly IdentifierKey[];
}

/** The request would create a person with too many identifiers. */
export class TooManyIdentifiers extends Error {}

/**
 * What an Update does that would create a person with too many identifiers: `refuse` throws, `keep apart` merges nobody. The known
 * people get the window, and the identifiers of nobody become a person.
 */
export type WhenTooMany = 'refuse' | 'keep apart';

/**
 * The members of an audience that an upload affects. An Update merges all identifiers it names into one person, with
 * the window of the last Update. A Delete removes the whole person that has any of its identifiers. Steps apply in
 * order.
 */
export class AudienceMembership {
  private readonly people = new Map<IdentifierKey, Person>();
  private readonly touched = new Set<Person>();
  private readonly removed = new Set<IdentifierKey>();

  constructor(
    stored: Iterable<Person>,
    /** Days since 1970. */
    private readonly today: number,
    private readonly mostIdentifiers: number,
    private readonly whenTooMany: WhenTooMany = 'refuse',
  ) {
    for (const person of stored) this.know(person);
  }

  /** Adds a stored person, before the first step. */
  know(person: Person): void {
    for (const key of person.keys) this.people.set(key, person);
  }

  apply({ keys, window }: MembershipStep): void {
    const known = new Set(keys.flatMap((key) => this.people.get(key) ?? []));
    if (window) this.update(keys, window, known);
    else for (const person of known) this.remove(person);
  }

  /** The changed people in their new state. */
  changed(): Iterable<Person> {
    return this.touched;
  }

  /** The identifiers that no person has any more. */
  gone(): IdentifierKey[] {
    return [...this.removed];
  }

  private update(keys: readonly IdentifierKey[], window: ValidityWindow, known: Set<Person>): void {
    if (this.areTooMany(keys, known)) return this.updateApart(keys, window, known);
    const [person = { keys: new Set<IdentifierKey>(), days: [], ...window }, ...others] = known;
    for (const other of others) {
      for (const key of other.keys) this.give(key, person);
      person.days = together(person.days, other.days);
      this.touched.delete(other);
    }
    for (const key of keys) this.give(key, person);
    this.renew(person, window);
  }

  private updateApart(keys: readonly IdentifierKey[], window: ValidityWindow, known: Set<Person>): void {
    const free = keys.filter((key) => !this.people.has(key));
    if (this.whenTooMany === 'refuse' || free.length > this.mostIdentifiers) throw new TooManyIdentifiers();
    for (const person of known) this.renew(person, window);
    if (free.length > 0) this.update(free, window, new Set());
  }

  private areTooMany(keys: readonly IdentifierKey[], known: Set<Person>): boolean {
    let most = keys.length;
    for (const person of known) most += person.keys.size;
    // some may be counted twice
    if (most <= this.mostIdentifiers) return false;
    return new Set([...keys, ...[...known].flatMap((person) => [...person.keys])]).size > this.mostIdentifiers;
  }

  private renew(person: Person, window: ValidityWindow): void {
    person.effectiveAt = window.effectiveAt;
    person.expiresAt = window.expiresAt;
    person.days = remembered(together(person.days, [this.today, 1]), this.today);
    this.touched.add(person);
  }

  private give(key: IdentifierKey, person: Person): void {
    person.keys.add(key);
    this.people.set(key, person);
    this.removed.delete(key);
  }

  private remove(person: Person): void {
    for (const key of person.keys) {
      this.people.delete(key);
      this.removed.add(key);
    }
    this.touched.delete(person);
  }
}

/** The uploads of two persons that turned out to be one. */
function together(one: readonly number[], other: readonly number[]): number[] {
  const counts = new Map<number, number>();
  for (const days of [one, other])
    for (let at = 0; at < days.length; at += 2) counts.set(days[at], (counts.get(days[at]) ?? 0) + days[at + 1]);
  return [...counts].sort(([day], [another]) => day - another).flat();
}

/** Removes days outside every lookback window. */
const remembered = (days: readonly number[], today: number): number[] =>
  days.filter((_, at) => days[at - (at % 2)] > today - REMEMBERED_DAYS);

/** The row of an identifier, without its audience. */
export interface IdentifierRow {
  key: IdentifierKey;
  person: bigint;
  first: boolean;
  tied: boolean;
  effectiveAt: number;
  expiresAt: number;
  lastDay: number;
  updates: number;
  earlier: number[] | null;
}

/** A person as the rows of its identifiers. */
export function rowsOf({ keys, days, effectiveAt, expiresAt }: Person): IdentifierRow[] {
  let [first] = keys;
  for (const key of keys) if (key < first) first = key;
  const person = personOf(first);
  const earlier = days.length > 2 ? days.slice(0, -2) : null;
  const [lastDay, updates] = days.slice(-2);
  return [...keys].map((key) => ({
    key,
    person,
    first: key === first,
    tied: keys.size > 1,
    effectiveAt,
    expiresAt,
    lastDay,
    updates,
    earlier,
  }));
}
