import type { Answer, Json } from '../../support/api.js';

/** What an answer says is wrong, and with which parameter. */
export const refusal = ({ status, body }: Answer) => ({
  status,
  errors: body.errors?.map(({ code, parameter }: Json) => [code, parameter] as const),
});
