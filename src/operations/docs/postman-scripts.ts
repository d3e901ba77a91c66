import { EXAMPLE_IMAGE } from '../../common/values/example-image.js';

/** JavaScript that Postman runs before and after the requests of the collection. */

/** Times that examples name, set again before each request. */
export const MOMENTS = [
  "const minute = (days) => new Date(Date.now() + days * 86400000).toISOString().slice(0, 16) + ':00Z';",
  "pm.variables.set('tomorrow', minute(1));",
  "pm.variables.set('five_days_ago', minute(-5));",
  "const asDigits = (hours) => new Date(Date.now() + hours * 3600000).toISOString().replace(/\\D/g, '').slice(0, 12);",
  "pm.variables.set('first_minute', asDigits(-1));",
  "pm.variables.set('last_minute', asDigits(0));",
  "pm.variables.set('first_day', minute(-5).slice(0, 10));",
  "pm.variables.set('last_day', minute(0).slice(0, 10));",
];

/** After each request. */
export const SUCCEEDS = ["pm.test('succeeds', () => pm.expect(pm.response.code).to.be.within(200, 299));"];

/** Before requests with a token of OAuth 2.0: without one, neither of a sign-in nor of the variable, there is nothing to send. */
export const NEEDS_TOKEN = [
  "const given = pm.request.auth && pm.request.auth.parameters().get('accessToken');",
  "const isSignedIn = given && !given.startsWith('{{');",
  "if (!isSignedIn && !pm.variables.get('oauth2_access_token')) pm.execution.skipRequest();",
];

/** Before requests with the application's bearer token: fetches it once. */
export const BEARER = [
  "if (!pm.collectionVariables.get('bearer_token')) {",
  "  const pair = pm.variables.replaceIn('{{consumer_key}}:{{consumer_secret}}');",
  '  const request = {',
  "    url: pm.variables.replaceIn('{{base_url}}/oauth2/token?grant_type=client_credentials'),",
  "    method: 'POST',",
  "    header: { Authorization: 'Basic ' + btoa(pair) },",
  '  };',
  "  pm.sendRequest(request, (error, answer) => pm.collectionVariables.set('bearer_token', answer.json().access_token));",
  '}',
];

/**
 * Before the exchange of a request token: where the environment has none that a person approved, the demo hands out one
 * that is approved.
 */
export const FLOW_CREDENTIALS = [
  "if (!pm.environment.get('oauth_verifier') && pm.environment.get('docs_key')) {",
  '  const request = {',
  "    url: pm.variables.replaceIn('{{base_url}}/docs/handout'),",
  "    method: 'POST',",
  "    header: { 'x-marquee-docs-key': pm.environment.get('docs_key') },",
  '  };',
  '  pm.sendRequest(request, (error, answer) => {',
  '    const { request_token, request_token_secret, oauth_verifier } = answer.json();',
  "    pm.variables.set('oauth_token', request_token);",
  "    pm.variables.set('oauth_token_secret', request_token_secret);",
  "    pm.variables.set('oauth_verifier', oauth_verifier);",
  '  });',
  '}',
];

/** A value of a response in form encoding. */
const inForm = (name: string) => `/(?:^|&)${name}=([^&]*)/.exec(pm.response.text())[1]`;

/** By operation: the variables that later requests use, and the expression of each in the response of its first request. */
export const RESULTS: Record<string, Record<string, string>> = {
  requestToken: { requested_token: inForm('oauth_token') },
  accessToken: {
    exchanged_token: inForm('oauth_token'),
    exchanged_token_secret: inForm('oauth_token_secret'),
  },
  tokenOAuth2: { issued_bearer_token: 'pm.response.json().access_token' },
  uploadMediaUpload: { upload_id: 'pm.response.json().media_id_string' },
  initializeMediaV2: { upload_v2_id: 'pm.response.json().data.id' },
  startReplay: { replay_job_id: 'pm.response.json().job_id' },
  listRequests: { sent_request_id: 'pm.response.json().data[0].id' },
};

/** By operation: the parameters and protocol parameters that are results of other requests. */
export const USES: Record<string, Record<string, string>> = {
  authorizeOAuth2: { client_id: '{{client_id}}' },
  authorizeOAuth2V2: { client_id: '{{client_id}}' },
  authorize: { oauth_token: '{{requested_token}}' },
  authenticate: { oauth_token: '{{requested_token}}' },
  accessToken: { oauth_verifier: '{{oauth_verifier}}' },
  invalidateOAuth1: { oauth_token: '{{exchanged_token}}' },
  invalidateOAuth2: { access_token: '{{issued_bearer_token}}' },
  statusMediaUpload: { media_id: '{{upload_id}}' },
  appendMediaV2: { media_id: '{{upload_v2_id}}' },
  finalizeMediaV2: { media_id: '{{upload_v2_id}}' },
  statusMediaV2: { media_id: '{{upload_id}}' },
  statusMediaUploadJson: { media_id: '{{upload_id}}' },
  getReplay: { job_id: '{{replay_job_id}}' },
  getRequest: { request_id: '{{sent_request_id}}' },
};

/** `name` of `{{name}}`. */
export const variableName = (reference: string): string => reference.slice(2, -2);

/** A request of an operation that takes several: its name and its fields. */
interface Step {
  name: string;
  fields: Record<string, unknown>;
}

/** By operation: its requests, where one alone does not complete it. */
export const STEPS: Record<string, Step[]> = {
  uploadMediaUpload: [
    {
      name: 'Start an upload in segments',
      fields: {
        command: 'INIT',
        total_bytes: Buffer.from(EXAMPLE_IMAGE, 'base64').length,
        media_type: 'image/png',
        media_category: 'post_image',
      },
    },
    {
      name: 'Upload a segment',
      fields: { command: 'APPEND', media_id: '{{upload_id}}', segment_index: 0, media_data: EXAMPLE_IMAGE },
    },
    { name: 'Finish an upload', fields: { command: 'FINALIZE', media_id: '{{upload_id}}' } },
  ],
};
