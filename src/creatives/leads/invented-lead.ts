import type { LeadField, LeadFieldKey } from '../lead-forms/lead-form.entity.js';
import type { LeadValues } from './lead.entity.js';

/** Chooses a whole number from 0 to `count` - 1; the word says what for. */
export type Choice = (count: number, word: string) => number;

// cspell:disable
const FIRST_NAMES =
  'Ada Aiko Amara Ben Carlos Chen Dara Elena Emil Farah Grace Hana Henry Ines Ivan Jonas Julia Kofi Lara Leo Lina Lucas Maya Mei Milan Nadia Nina Noah Olga Omar Paula Priya Rafael Ravi Rosa Samir Sofia Tariq Theo Yara'.split(
    ' ',
  );
const LAST_NAMES =
  'Adeyemi Alvarez Andersen Baker Bianchi Brooks Castro Dubois Evans Fischer Garcia Haddad Hansen Ito Jansen Kim Kowalski Larsen Lopez Marino Mehta Moreau Murphy Nguyen Novak Okafor Owens Patel Pereira Reyes Rossi Santos Schmidt Silva Tanaka Torres Walsh Weber Yilmaz Zhang'.split(
    ' ',
  );
// cspell:enable
const PLACES = [
  ['Portland', 'Oregon', '97201', '503'],
  ['Austin', 'Texas', '78701', '512'],
  ['Denver', 'Colorado', '80202', '303'],
  ['Madison', 'Wisconsin', '53703', '608'],
  ['Savannah', 'Georgia', '31401', '912'],
  ['Tucson', 'Arizona', '85701', '520'],
  ['Albany', 'New York', '12207', '518'],
  ['Spokane', 'Washington', '99201', '509'],
] as const;
const STREETS = ['Maple Street', 'Oak Avenue', 'River Road', 'Hill Street', 'Lake Drive', 'Station Road', 'Park Lane'];
const COMPANIES = ['Birch Bakery', 'Harbor Books', 'Juniper Studio', 'Meadow Foods', 'Pine Logistics', 'Summit Tools'];
const JOBS = [
  'Accountant',
  'Barista',
  'Buyer',
  'Designer',
  'Engineer',
  'Marketing Manager',
  'Office Manager',
  'Teacher',
];
const GENDERS = ['female', 'male', 'non-binary'];
const YEARS = { first: 1950, count: 55 };
const DAYS_OF_YEAR = 365;
/** How many of 10 people leave an optional field empty. */
const EMPTY_OF_TEN = 3;

/**
 * What an invented person fills in. Everybody of the same choices is the same person. Email addresses are those of the
 * domains example.com and example.org, and telephone numbers end with 555-0100 to 555-0199, which belong to nobody.
 */
export function inventedLead(fields: readonly LeadField[], choose: Choice): LeadValues {
  const from = <T>(list: readonly T[], word: string): T => list[choose(list.length, word)];
  const first = from(FIRST_NAMES, 'first name');
  const last = from(LAST_NAMES, 'last name');
  const [city, state, zip, area] = from(PLACES, 'place');
  const company = from(COMPANIES, 'company');
  const number = choose(10_000, 'number');
  const mailbox = `${first}.${last}`.toLowerCase();
  const phone = (word: string) => `+1${area}55501${String(choose(100, word)).padStart(2, '0')}`;
  const born = Date.UTC(YEARS.first + choose(YEARS.count, 'year'), 0, 1 + choose(DAYS_OF_YEAR, 'day'));
  const person: Record<LeadFieldKey, string> = {
    CITY: city,
    COMPANY_NAME: company,
    COUNTRY: 'United States',
    DATE_OF_BIRTH: new Date(born).toISOString().slice(0, 10),
    EMAIL: `${mailbox}.${number}@example.com`,
    FIRST_NAME: first,
    FULL_NAME: `${first} ${last}`,
    GENDER: from(GENDERS, 'gender'),
    HANDLE: `@${first}${last}${number}`.toLowerCase(),
    JOB_TITLE: from(JOBS, 'job'),
    LAST_NAME: last,
    PHONE_NUMBER: phone('phone'),
    STATE: state,
    STREET_ADDRESS: `${1 + choose(400, 'house')} ${from(STREETS, 'street')}`,
    WORK_EMAIL: `${mailbox}@${company.toLowerCase().replace(' ', '-')}.example.org`,
    WORK_PHONE_NUMBER: phone('work phone'),
    ZIP_CODE: zip,
  };
  return Object.fromEntries(
    fields
      .filter(({ key, optional }) => !optional || choose(10, `skips ${key}`) >= EMPTY_OF_TEN)
      .map(({ key }) => [key, person[key]]),
  );
}
