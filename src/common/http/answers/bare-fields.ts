import { ApiResponse } from '@nestjs/swagger';
import { whole, type Schema } from './responses.js';

/** Texts that are answered without an envelope, by name: what each is, and what it may look like. */
type Texts = Record<string, { about: string; example: string }>;

const texts = (fields: Texts): Schema =>
  whole(
    Object.fromEntries(
      Object.entries(fields).map(([name, { about, example }]) => [
        name,
        { type: 'string', description: about, example },
      ]),
    ),
  );

/** Bare texts, as JSON. */
export const ReturnsFields = (fields: Texts) =>
  ApiResponse({ status: 200, description: `The fields ${Object.keys(fields).join(', ')}.`, schema: texts(fields) });

/** The same as `name=value&...`. */
export const ReturnsForm = (fields: Texts) =>
  ApiResponse({
    status: 200,
    description: `The fields ${Object.keys(fields).join(', ')}.`,
    content: { 'application/x-www-form-urlencoded': { schema: texts(fields) } },
  });
