// Written by `npm run client-api` from openapi.json. Do not edit.

/** @internal Operations whose body is a JSON object. All other objects are sent as forms, and lists as JSON. */
export const JSON_OBJECTS: ReadonlySet<string> = new Set([
  'POST /1.1/media/subtitles/create.json',
  'POST /1.1/media/subtitles/delete.json',
  'POST /12/accounts/{account_id}/ab_tests',
  'PUT /12/accounts/{account_id}/ab_tests/{ab_test_id}',
  'POST /12/accounts/{account_id}/ad-export/api/v1/exports',
  'POST /12/accounts/{account_id}/audience_estimate',
  'POST /12/accounts/{account_id}/cards',
  'PUT /12/accounts/{account_id}/cards/{card_id}',
  'POST /12/accounts/{account_id}/dynamic_product_cards',
  'PUT /12/accounts/{account_id}/dynamic_product_cards/{card_id}',
  'POST /12/accounts/{account_id}/lead_forms',
  'PUT /12/accounts/{account_id}/lead_forms/{lead_form_id}',
  'POST /12/measurement/conversions/{pixel_id}',
  'POST /12/product_catalogs/{product_catalog_id}/product_sets',
  'PUT /12/product_catalogs/{product_catalog_id}/product_sets/{product_set_id}',
  'PUT /12/product_catalogs/{product_catalog_id}/products',
  'DELETE /12/product_catalogs/{product_catalog_id}/products',
  'POST /2/media/metadata',
  'POST /2/media/subtitles',
  'DELETE /2/media/subtitles',
  'POST /2/media/upload',
  'POST /2/media/upload/initialize',
  'POST /2/media/upload/{media_id}/append',
  'PUT /workbench/snapshots/{snapshot_name}/content',
]);

/** Maximum number of operations in a batch. */
export const BATCH_SIZES = {
  '/12/accounts/{account_id}/custom_audiences/{custom_audience_id}/users': 2500,
  '/12/batch/accounts/{account_id}/campaigns': 40,
  '/12/batch/accounts/{account_id}/custom_audiences': 10,
  '/12/batch/accounts/{account_id}/do_not_reach_lists/{do_not_reach_list_id}/users': 2500,
  '/12/batch/accounts/{account_id}/line_items': 40,
  '/12/batch/accounts/{account_id}/targeting_criteria': 500,
} as const;
