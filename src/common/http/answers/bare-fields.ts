import { ApiResponse } from '@nestjs/swagger';
import { whole, type Schema } from './responses.js';

/** Text fields of a response without an envelope, by name, each with its description and an example. */
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

/** A JSON object of text fields without an envelope. */
export const ReturnsFields = (fields: Texts) =>
  ApiResponse({ status: 200, description: `The fields ${Object.keys(fields).join(', ')}.`, schema: texts(fields) });

/** The same as `name=value&...`. */
export const ReturnsForm = (fields: Texts) =>
  ApiResponse({
    status: 200,
    description: `The fields ${Object.keys(fields).join(', ')}.`,
    content: { 'application/x-www-form-urlencoded': { schema: texts(fields) } },
  });
