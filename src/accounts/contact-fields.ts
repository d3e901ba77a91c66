import { isISO31661Alpha2 } from 'class-validator';
import { Field, type Kind, Text, word } from '../common/http/params/fields.js';

const MAX_EMAIL = 254;
/** It has one @ and a domain of several parts. Only a message tells whether the address exists. */
const EMAIL = { pattern: /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/, what: 'an e-mail address such as ann@example.com' };
const PHONE = { pattern: /^\+?[0-9][0-9 ().-]{3,30}$/, what: 'a phone number such as +1 503 555 0100' };
const EXTENSION = { pattern: /^[0-9]{1,10}$/, what: 'up to 10 digits' };

/** An e-mail address. An empty value removes it. */
export const Email = () => Text({ nullable: true, max: MAX_EMAIL, matching: EMAIL, example: 'ann@northwind.example' });
/** A phone number. An empty value removes it. */
export const Phone = () => Text({ nullable: true, max: 32, matching: PHONE, example: '+1 503 555 0100' });
/** What is dialed after the phone number. An empty value removes it. */
export const PhoneExtension = () => Text({ nullable: true, max: 10, matching: EXTENSION, example: '42' });

const country: Kind = {
  ...word('a country in ISO 3166-1 alpha-2', isISO31661Alpha2, { details: 'two letters, such as US or DE' }),
  convert: (given) => (typeof given === 'string' && given.length === 2 ? given.toUpperCase() : given),
};

/** An ISO 3166-1 alpha-2 code, case-insensitive. An empty value removes it. */
export const Country = () =>
  Field(country, { nullable: true, example: 'US' }, { type: String, pattern: '^[A-Za-z]{2}$' });
