// Written by `npm run client-api` from openapi.json. Do not edit.
export interface paths {
"/1.1/media/subtitles/create.json": {
post: operations["addMediaSubtitlesV1"];
};
"/1.1/media/subtitles/delete.json": {
post: operations["removeMediaSubtitlesV1"];
};
"/1.1/media/upload": {
get: operations["statusMediaUpload"];
post: operations["uploadMediaUpload"];
};
"/1.1/oauth/invalidate_token": {
post: operations["invalidateOAuth1"];
};
"/12/accounts": {
get: operations["listAccounts"];
post: operations["createAccount"];
};
"/12/accounts/{account_id}": {
get: operations["getAccount"];
put: operations["updateAccount"];
delete: operations["deleteAccount"];
};
"/12/accounts/{account_id}/ab_tests": {
get: operations["listAbTests"];
post: operations["createAbTest"];
};
"/12/accounts/{account_id}/ab_tests/{ab_test_id}": {
get: operations["getAbTest"];
put: operations["updateAbTest"];
delete: operations["deleteAbTest"];
};
"/12/accounts/{account_id}/account_apps": {
get: operations["listAccountApps"];
};
"/12/accounts/{account_id}/account_history": {
get: operations["listAccountHistory"];
};
"/12/accounts/{account_id}/account_media": {
get: operations["listAccountMedia"];
};
"/12/accounts/{account_id}/account_media/{account_media_id}": {
get: operations["getAccountMedia"];
delete: operations["deleteAccountMedia"];
};
"/12/accounts/{account_id}/ad-export/api/v1/exports": {
post: operations["createLeadExport"];
};
"/12/accounts/{account_id}/ad-export/api/v1/exports/{export_id}": {
get: operations["getLeadExport"];
delete: operations["deleteLeadExport"];
};
"/12/accounts/{account_id}/ad-export/api/v1/exports/{export_id}/download": {
get: operations["downloadLeadExport"];
};
"/12/accounts/{account_id}/app_event_provider_configurations": {
get: operations["listProviderConfigurations"];
post: operations["createProviderConfiguration"];
};
"/12/accounts/{account_id}/app_event_provider_configurations/{app_event_provider_configuration_id}": {
get: operations["getProviderConfiguration"];
delete: operations["deleteProviderConfiguration"];
};
"/12/accounts/{account_id}/app_event_tags": {
get: operations["listAppEventTags"];
post: operations["createAppEventTag"];
};
"/12/accounts/{account_id}/app_event_tags/{app_event_tag_id}": {
get: operations["getAppEventTag"];
delete: operations["deleteAppEventTag"];
};
"/12/accounts/{account_id}/app_lists": {
get: operations["listAppLists"];
post: operations["createAppList"];
};
"/12/accounts/{account_id}/app_lists/{app_list_id}": {
get: operations["getAppList"];
delete: operations["deleteAppList"];
};
"/12/accounts/{account_id}/audience_estimate": {
post: operations["estimateAudience"];
};
"/12/accounts/{account_id}/authenticated_user_access": {
get: operations["getAuthenticatedUserAccess"];
};
"/12/accounts/{account_id}/campaigns": {
get: operations["listCampaigns"];
post: operations["createCampaign"];
};
"/12/accounts/{account_id}/campaigns/{campaign_id}": {
get: operations["getCampaign"];
put: operations["updateCampaign"];
delete: operations["deleteCampaign"];
};
"/12/accounts/{account_id}/campaigns/{campaign_id}/activate": {
put: operations["activateCampaign"];
};
"/12/accounts/{account_id}/cards": {
get: operations["listCards"];
post: operations["createCard"];
};
"/12/accounts/{account_id}/cards/all": {
get: operations["listAllCards"];
};
"/12/accounts/{account_id}/cards/all/{card_id}": {
get: operations["getAnyCard"];
};
"/12/accounts/{account_id}/cards/image_conversation": {
get: operations["listImageConversationCards"];
post: operations["createImageConversationCard"];
};
"/12/accounts/{account_id}/cards/image_conversation/{card_id}": {
get: operations["getImageConversationCard"];
put: operations["updateImageConversationCard"];
delete: operations["deleteImageConversationCard"];
};
"/12/accounts/{account_id}/cards/poll": {
get: operations["listPollCards"];
post: operations["createPollCard"];
};
"/12/accounts/{account_id}/cards/poll/{card_id}": {
get: operations["getPollCard"];
delete: operations["deletePollCard"];
};
"/12/accounts/{account_id}/cards/video_conversation": {
get: operations["listVideoConversationCards"];
post: operations["createVideoConversationCard"];
};
"/12/accounts/{account_id}/cards/video_conversation/{card_id}": {
get: operations["getVideoConversationCard"];
put: operations["updateVideoConversationCard"];
delete: operations["deleteVideoConversationCard"];
};
"/12/accounts/{account_id}/cards/{card_id}": {
get: operations["getCard"];
put: operations["updateCard"];
delete: operations["deleteCard"];
};
"/12/accounts/{account_id}/curated_categories": {
get: operations["listCuratedCategories"];
};
"/12/accounts/{account_id}/curated_categories/{curated_category_id}": {
get: operations["getCuratedCategory"];
};
"/12/accounts/{account_id}/custom_audiences": {
get: operations["listCustomAudiences"];
post: operations["createCustomAudience"];
};
"/12/accounts/{account_id}/custom_audiences/{custom_audience_id}": {
get: operations["getCustomAudience"];
put: operations["updateCustomAudience"];
delete: operations["deleteCustomAudience"];
};
"/12/accounts/{account_id}/custom_audiences/{custom_audience_id}/diagnostics": {
get: operations["diagnoseAudienceUser"];
};
"/12/accounts/{account_id}/custom_audiences/{custom_audience_id}/permissions": {
get: operations["listCustomAudiencePermissions"];
post: operations["createCustomAudiencePermission"];
};
"/12/accounts/{account_id}/custom_audiences/{custom_audience_id}/permissions/{custom_audience_permission_id}": {
delete: operations["deleteCustomAudiencePermission"];
};
"/12/accounts/{account_id}/custom_audiences/{custom_audience_id}/targeted": {
get: operations["listTargetedBy"];
};
"/12/accounts/{account_id}/custom_audiences/{custom_audience_id}/users": {
post: operations["uploadAudienceUser"];
};
"/12/accounts/{account_id}/do_not_reach_lists": {
get: operations["listDoNotReachLists"];
post: operations["createDoNotReachList"];
};
"/12/accounts/{account_id}/do_not_reach_lists/{do_not_reach_list_id}": {
delete: operations["deleteDoNotReachList"];
};
"/12/accounts/{account_id}/draft_posts": {
get: operations["listDraftPosts"];
post: operations["createDraftPost"];
};
"/12/accounts/{account_id}/draft_posts/preview/{draft_post_id}": {
post: operations["previewDraftPost"];
};
"/12/accounts/{account_id}/draft_posts/{draft_post_id}": {
get: operations["getDraftPost"];
put: operations["updateDraftPost"];
delete: operations["deleteDraftPost"];
};
"/12/accounts/{account_id}/dynamic_product_cards": {
get: operations["listDynamicProductCards"];
post: operations["createDynamicProductCard"];
};
"/12/accounts/{account_id}/dynamic_product_cards/{card_id}": {
get: operations["getDynamicProductCard"];
put: operations["updateDynamicProductCard"];
delete: operations["deleteDynamicProductCard"];
};
"/12/accounts/{account_id}/features": {
get: operations["listFeatures"];
post: operations["addFeatures"];
delete: operations["removeFeatures"];
};
"/12/accounts/{account_id}/funding_instruments": {
get: operations["listFundingInstruments"];
post: operations["createFundingInstrument"];
};
"/12/accounts/{account_id}/funding_instruments/{funding_instrument_id}": {
get: operations["getFundingInstrument"];
delete: operations["deleteFundingInstrument"];
};
"/12/accounts/{account_id}/lead_forms": {
get: operations["listLeadForms"];
post: operations["createLeadForm"];
};
"/12/accounts/{account_id}/lead_forms/{lead_form_id}": {
get: operations["getLeadForm"];
put: operations["updateLeadForm"];
delete: operations["deleteLeadForm"];
};
"/12/accounts/{account_id}/line_item_apps": {
get: operations["listLineItemApps"];
post: operations["createLineItemApp"];
};
"/12/accounts/{account_id}/line_item_apps/{line_item_app_id}": {
get: operations["getLineItemApp"];
delete: operations["deleteLineItemApp"];
};
"/12/accounts/{account_id}/line_item_curated_categories": {
get: operations["listLineItemCuratedCategories"];
post: operations["createLineItemCuratedCategory"];
};
"/12/accounts/{account_id}/line_item_curated_categories/{line_item_curated_category_id}": {
get: operations["getLineItemCuratedCategory"];
put: operations["updateLineItemCuratedCategory"];
delete: operations["deleteLineItemCuratedCategory"];
};
"/12/accounts/{account_id}/line_items": {
get: operations["listLineItems"];
post: operations["createLineItem"];
};
"/12/accounts/{account_id}/line_items/{line_item_id}": {
get: operations["getLineItem"];
put: operations["updateLineItem"];
delete: operations["deleteLineItem"];
};
"/12/accounts/{account_id}/line_items/{line_item_id}/activate": {
put: operations["activateLineItem"];
};
"/12/accounts/{account_id}/media_creatives": {
get: operations["listMediaCreatives"];
post: operations["createMediaCreative"];
};
"/12/accounts/{account_id}/media_creatives/{media_creative_id}": {
get: operations["getMediaCreative"];
delete: operations["deleteMediaCreative"];
};
"/12/accounts/{account_id}/media_library": {
get: operations["listMediaLibrary"];
post: operations["addMediaLibrary"];
};
"/12/accounts/{account_id}/media_library/{media_key}": {
get: operations["getMediaLibrary"];
put: operations["updateMediaLibrary"];
delete: operations["deleteMediaLibrary"];
};
"/12/accounts/{account_id}/post": {
post: operations["createPost"];
};
"/12/accounts/{account_id}/post_previews": {
get: operations["listPostPreviews"];
};
"/12/accounts/{account_id}/posts": {
get: operations["listPosts"];
};
"/12/accounts/{account_id}/posts/{post_id}/name": {
put: operations["renamePost"];
};
"/12/accounts/{account_id}/preroll_call_to_actions": {
get: operations["listPrerollCallToActions"];
post: operations["createPrerollCallToAction"];
};
"/12/accounts/{account_id}/preroll_call_to_actions/{preroll_call_to_action_id}": {
get: operations["getPrerollCallToAction"];
put: operations["updatePrerollCallToAction"];
delete: operations["deletePrerollCallToAction"];
};
"/12/accounts/{account_id}/promotable_users": {
get: operations["listPromotableUsers"];
};
"/12/accounts/{account_id}/promotable_users/{promotable_user_id}": {
get: operations["getPromotableUser"];
};
"/12/accounts/{account_id}/promoted_accounts": {
get: operations["listPromotedAccounts"];
post: operations["createPromotedAccount"];
};
"/12/accounts/{account_id}/promoted_accounts/{promoted_account_id}": {
get: operations["getPromotedAccount"];
delete: operations["deletePromotedAccount"];
};
"/12/accounts/{account_id}/promoted_posts": {
get: operations["listPromotedPosts"];
post: operations["createPromotedPost"];
};
"/12/accounts/{account_id}/promoted_posts/{promoted_post_id}": {
get: operations["getPromotedPost"];
delete: operations["deletePromotedPost"];
};
"/12/accounts/{account_id}/scheduled_posts": {
get: operations["listScheduledPosts"];
post: operations["createScheduledPost"];
};
"/12/accounts/{account_id}/scheduled_posts/preview/{scheduled_post_id}": {
get: operations["getScheduledPreview"];
};
"/12/accounts/{account_id}/scheduled_posts/{scheduled_post_id}": {
get: operations["getScheduledPost"];
put: operations["updateScheduledPost"];
delete: operations["deleteScheduledPost"];
};
"/12/accounts/{account_id}/scheduled_promoted_posts": {
get: operations["listScheduledPromotedPosts"];
post: operations["createScheduledPromotedPost"];
};
"/12/accounts/{account_id}/scheduled_promoted_posts/{scheduled_promoted_post_id}": {
get: operations["getScheduledPromotedPost"];
delete: operations["deleteScheduledPromotedPost"];
};
"/12/accounts/{account_id}/targeting_criteria": {
get: operations["listTargetingCriteria"];
post: operations["createTargetingCriteria"];
};
"/12/accounts/{account_id}/targeting_criteria/{targeting_criterion_id}": {
get: operations["getTargetingCriteria"];
delete: operations["deleteTargetingCriteria"];
};
"/12/accounts/{account_id}/targeting_suggestions": {
get: operations["listTargetingSuggestions"];
};
"/12/accounts/{account_id}/tax_settings": {
get: operations["getTaxSetting"];
put: operations["updateTaxSetting"];
};
"/12/accounts/{account_id}/tracking_tags": {
get: operations["listTrackingTags"];
post: operations["createTrackingTag"];
};
"/12/accounts/{account_id}/tracking_tags/{tracking_tag_id}": {
get: operations["getTrackingTag"];
put: operations["updateTrackingTag"];
delete: operations["deleteTrackingTag"];
};
"/12/accounts/{account_id}/user_settings/{user_id}": {
get: operations["getUserSetting"];
put: operations["updateUserSetting"];
};
"/12/accounts/{account_id}/web_event_tags": {
get: operations["listWebEventTags"];
post: operations["createWebEventTag"];
};
"/12/accounts/{account_id}/web_event_tags/{web_event_tag_id}": {
get: operations["getWebEventTag"];
put: operations["updateWebEventTag"];
delete: operations["deleteWebEventTag"];
};
"/12/advertiser_business_categories": {
get: operations["listAdvertiserBusinessCategories"];
};
"/12/batch/accounts/{account_id}/campaigns": {
post: operations["batchCampaigns"];
};
"/12/batch/accounts/{account_id}/custom_audiences": {
post: operations["batchCustomAudiences"];
};
"/12/batch/accounts/{account_id}/do_not_reach_lists/{do_not_reach_list_id}/users": {
post: operations["uploadDoNotReachListUser"];
};
"/12/batch/accounts/{account_id}/line_items": {
post: operations["batchLineItems"];
};
"/12/batch/accounts/{account_id}/targeting_criteria": {
post: operations["batchTargetingCriteria"];
};
"/12/bidding_rules": {
get: operations["listBiddingRules"];
};
"/12/content_categories": {
get: operations["listContentCategories"];
};
"/12/conversion_attribution": {
get: operations["findPartnerEvent"];
};
"/12/conversion_event": {
post: operations["sendPartnerEvent"];
};
"/12/iab_categories": {
get: operations["listIabCategories"];
};
"/12/insights/keywords/search": {
get: operations["searchKeywords"];
};
"/12/line_items/placements": {
get: operations["listPlacements"];
};
"/12/measurement/conversions/{pixel_id}": {
post: operations["sendConversion"];
};
"/12/product_catalogs": {
get: operations["listProductCatalogs"];
post: operations["createProductCatalog"];
};
"/12/product_catalogs/{product_catalog_id}": {
put: operations["updateProductCatalog"];
delete: operations["deleteProductCatalog"];
};
"/12/product_catalogs/{product_catalog_id}/product_sets": {
get: operations["listProductSets"];
post: operations["createProductSet"];
};
"/12/product_catalogs/{product_catalog_id}/product_sets/{product_set_id}": {
get: operations["getProductSet"];
put: operations["updateProductSet"];
delete: operations["deleteProductSet"];
};
"/12/product_catalogs/{product_catalog_id}/products": {
get: operations["listProducts"];
put: operations["putProduct"];
delete: operations["deleteProduct"];
};
"/12/product_catalogs/{product_catalog_id}/scheduled_feeds": {
get: operations["listScheduledFeeds"];
post: operations["createScheduledFeed"];
};
"/12/product_catalogs/{product_catalog_id}/scheduled_feeds/{scheduled_feed_id}": {
put: operations["updateScheduledFeed"];
delete: operations["deleteScheduledFeed"];
};
"/12/product_catalogs/{product_catalog_id}/scheduled_feeds/{scheduled_feed_id}/fetch": {
get: operations["lastFetch"];
post: operations["fetchScheduledFeed"];
};
"/12/publishers": {
get: operations["listPublishers"];
};
"/12/stats/accounts/{account_id}": {
get: operations["getStatistics"];
};
"/12/stats/accounts/{account_id}/active_entities": {
get: operations["listActiveEntities"];
};
"/12/stats/accounts/{account_id}/reach/campaigns": {
get: operations["getCampaignReach"];
};
"/12/stats/accounts/{account_id}/reach/funding_instruments": {
get: operations["getFundingInstrumentReach"];
};
"/12/stats/jobs/accounts/{account_id}": {
get: operations["listStatisticsJobs"];
post: operations["createStatisticsJob"];
};
"/12/stats/jobs/accounts/{account_id}/{job_id}": {
delete: operations["deleteStatisticsJob"];
};
"/12/targeting_criteria/app_store_categories": {
get: operations["listAppStoreCategories"];
};
"/12/targeting_criteria/conversations": {
get: operations["listConversations"];
};
"/12/targeting_criteria/devices": {
get: operations["listDevices"];
};
"/12/targeting_criteria/events": {
get: operations["listEvents"];
};
"/12/targeting_criteria/interests": {
get: operations["listInterests"];
};
"/12/targeting_criteria/languages": {
get: operations["listLanguages"];
};
"/12/targeting_criteria/locations": {
get: operations["listLocations"];
};
"/12/targeting_criteria/network_operators": {
get: operations["listNetworkOperators"];
};
"/12/targeting_criteria/platform_versions": {
get: operations["listPlatformVersions"];
};
"/12/targeting_criteria/platforms": {
get: operations["listPlatforms"];
};
"/12/targeting_criteria/tv_markets": {
get: operations["listTvMarkets"];
};
"/12/targeting_criteria/tv_shows": {
get: operations["listTvShows"];
};
"/2/media": {
get: operations["listMediaLookup"];
};
"/2/media/analytics": {
get: operations["listMediaAnalytics"];
};
"/2/media/metadata": {
post: operations["describeMediaMetadata"];
};
"/2/media/subtitles": {
post: operations["addMediaSubtitles"];
delete: operations["removeMediaSubtitles"];
};
"/2/media/upload": {
get: operations["statusMediaV2"];
post: operations["uploadMediaV2"];
};
"/2/media/upload/initialize": {
post: operations["initializeMediaV2"];
};
"/2/media/upload/{media_id}/append": {
post: operations["appendMediaV2"];
};
"/2/media/upload/{media_id}/finalize": {
post: operations["finalizeMediaV2"];
};
"/2/media/{media_key}": {
get: operations["getMediaLookup"];
};
"/2/users/me": {
get: operations["getMe"];
};
"/5/accounts/{account_id}/tailored_audiences/{tailored_audience_id}/permissions": {
get: operations["listTailoredAudiencePermissions"];
post: operations["createTailoredAudiencePermission"];
};
"/5/accounts/{account_id}/tailored_audiences/{tailored_audience_id}/permissions/{tailored_audience_permission_id}": {
delete: operations["deleteTailoredAudiencePermission"];
};
"/oauth2/invalidate_token": {
post: operations["invalidateOAuth2"];
};
"/workbench/accounts/{account_id}/clock": {
delete: operations["releaseAccountClock"];
};
"/workbench/clocks": {
get: operations["listTestClocks"];
post: operations["createTestClock"];
};
"/workbench/clocks/{clock_id}": {
get: operations["getTestClock"];
delete: operations["deleteTestClock"];
};
"/workbench/clocks/{clock_id}/accounts/{account_id}": {
put: operations["attachAccount"];
delete: operations["detachAccount"];
};
"/workbench/clocks/{clock_id}/advance": {
post: operations["advanceTestClock"];
};
"/workbench/conversions": {
get: operations["listReceivedConversions"];
post: operations["createReceivedConversion"];
};
"/workbench/conversions/{received_conversion_id}": {
get: operations["getReceivedConversion"];
};
"/workbench/engagements": {
get: operations["listEngagements"];
post: operations["createEngagement"];
};
"/workbench/faults": {
get: operations["listFaults"];
post: operations["createFault"];
};
"/workbench/faults/{fault_id}": {
get: operations["getFault"];
put: operations["updateFault"];
delete: operations["deleteFault"];
};
"/workbench/leads": {
get: operations["listLeads"];
post: operations["submitLead"];
};
"/workbench/namespaces": {
get: operations["listNamespaces"];
post: operations["createNamespace"];
};
"/workbench/namespaces/{namespace_id}": {
get: operations["getNamespace"];
put: operations["updateNamespace"];
delete: operations["deleteNamespace"];
};
"/workbench/requests": {
get: operations["listRequests"];
};
"/workbench/requests/count": {
post: operations["countRequest"];
};
"/workbench/requests/{request_id}": {
get: operations["getRequest"];
};
"/workbench/reset": {
post: operations["resetAccountState"];
};
"/workbench/snapshots": {
get: operations["listSnapshots"];
};
"/workbench/snapshots/{snapshot_name}": {
get: operations["getSnapshot"];
put: operations["saveSnapshot"];
delete: operations["deleteSnapshot"];
};
"/workbench/snapshots/{snapshot_name}/content": {
get: operations["exportSnapshotFile"];
put: operations["importSnapshotFile"];
};
"/workbench/snapshots/{snapshot_name}/restore": {
post: operations["restoreSnapshot"];
};
}
export type webhooks = Record<string, never>;
export interface components {
schemas: {
AbTestEntityType: "CAMPAIGN" | "LINE_ITEM";
AbTestSortKey: "created_at-asc" | "created_at-desc" | "updated_at-asc" | "updated_at-desc" | "deleted-asc" | "deleted-desc" | "name-asc" | "name-desc" | "start_time-asc" | "start_time-desc" | "end_time-asc" | "end_time-desc";
AbTestStatus: "COMPLETED" | "LIVE" | "SCHEDULED";
AbTestView: {
id: string;
created_at: string;
updated_at: string;
deleted: boolean;
name: string | null;
description: string | null;
start_time: string;
end_time: string;
entity_type: components["schemas"]["AbTestEntityType"];
status: components["schemas"]["AbTestStatus"];
entities: components["schemas"]["TestedEntityView"][];
user_groups: components["schemas"]["UserGroupView"][];
created_by: components["schemas"]["TestUserView"];
updated_by: components["schemas"]["TestUserView"];
};
AccountAppOsType: "Android" | "iOS";
AccountAppSortKey: "created_at-asc" | "created_at-desc" | "updated_at-asc" | "updated_at-desc" | "deleted-asc" | "deleted-desc";
AccountAppView: {
id: string;
created_at: string;
updated_at: string;
deleted: boolean;
app_store_identifier: string;
conversion_tracking_enabled: boolean;
deep_link_pattern: string | null;
os_type: components["schemas"]["AccountAppOsType"];
};
AccountApproval: "ACCEPTED" | "UNDER_REVIEW" | "REJECTED";
AccountHistoryView: {
change_by: components["schemas"]["ChangeByView"];
changes: {
[key: string]: unknown;
};
change_time: string;
entity_id: string;
entity: components["schemas"]["HistoryEntity"];
entity_data: {
[key: string]: unknown;
};
change_type: components["schemas"]["ChangeType"];
};
AccountMediaSortKey: "created_at-asc" | "created_at-desc" | "updated_at-asc" | "updated_at-desc" | "deleted-asc" | "deleted-desc";
AccountMediaView: {
id: string;
created_at: string;
updated_at: string;
deleted: boolean;
video_id: string | null;
media_url: string | null;
creative_type: components["schemas"]["CreativeType"];
};
AccountSortKey: "created_at-asc" | "created_at-desc" | "updated_at-asc" | "updated_at-desc" | "deleted-asc" | "deleted-desc" | "name-asc" | "name-desc";
AccountView: {
id: string;
created_at: string;
updated_at: string;
deleted: boolean;
name: string;
business_name: string | null;
business_id: string | null;
timezone: string;
timezone_switch_at: string | null;
approval_status: components["schemas"]["AccountApproval"];
industry_type: components["schemas"]["IndustryType"];
country_code: string | null;
};
ActiveEntity: "CAMPAIGN" | "FUNDING_INSTRUMENT" | "LINE_ITEM" | "MEDIA_CREATIVE" | "PROMOTED_ACCOUNT" | "PROMOTED_POST";
ActiveEntityView: {
entity_id: string;
activity_start_time: string;
activity_end_time: string;
placements: components["schemas"]["DeliveryPlacement"][];
};
AddFeaturesForm: {
feature_keys: components["schemas"]["Feature"][];
};
AddMediaLibraryForm: {
media_key: string;
description?: string;
file_name?: string;
name?: string;
poster_media_key?: string;
title?: string;
};
AddSubtitles: {
id: string;
media_category: components["schemas"]["SubtitledCategory"];
subtitles: components["schemas"]["Subtitles"];
};
AddSubtitlesV1: {
media_id: string;
media_category: components["schemas"]["SubtitledCategory"];
subtitle_info: components["schemas"]["SubtitleInfoV1"];
};
AdvanceTestClockForm: {
frozen_time: string;
};
AdvertiserBusinessCategoryView: {
id: string;
name: string;
iab_categories: string[];
};
AltText: {
text: string;
};
AppAttributionView: {
app_id: string;
os_type: components["schemas"]["AppEventOsType"];
hashed_device_id: string;
conversion_type: components["schemas"]["AppConversionType"];
conversion_time: string;
click_window: number;
view_through_window: number;
conversion_value_micro: number | null;
limit_ad_tracking: boolean;
partner_client_id: string;
tpn_attribution: string | null;
platform_attribution: {
[key: string]: unknown;
} | components["schemas"]["PlatformAttributionView"] | null;
};
AppConversionType: "ACHIEVEMENT_UNLOCKED" | "ADDED_PAYMENT_INFO" | "ADD_TO_CART" | "ADD_TO_WISHLIST" | "CHECKOUT_INITIATED" | "CONTENT_VIEW" | "INSTALL" | "INVITE" | "LEVEL_ACHIEVED" | "LOGIN" | "PURCHASE" | "RATED" | "RESERVATION" | "RE_ENGAGE" | "SEARCH" | "SHARE" | "SIGN_UP" | "SPENT_CREDITS" | "TUTORIAL_COMPLETE" | "UPDATE";
AppDestinationView: {
/** @constant */
type: "APP";
country_code: string;
googleplay_app_id?: string;
ios_app_store_identifier?: string;
googleplay_deep_link?: string;
ios_deep_link?: string;
};
AppEventMetadataView: {
level: number | null;
number_items: number | null;
price_currency: string | null;
price_micro: number | null;
user_payment_info: boolean | null;
};
AppEventOsType: "IOS" | "ANDROID";
AppEventTagSortKey: "created_at-asc" | "created_at-desc" | "updated_at-asc" | "updated_at-desc" | "deleted-asc" | "deleted-desc";
AppEventTagStatus: "TRACKING";
AppEventTagView: {
id: string;
created_at: string;
updated_at: string;
deleted: boolean;
app_store_identifier: string;
os_type: components["schemas"]["AppEventOsType"];
conversion_type: components["schemas"]["AppConversionType"];
provider_app_event_id: string;
provider_app_event_name: string;
deep_link_scheme: string | null;
post_engagement_attribution_window: number;
post_view_attribution_window: number;
retargeting_enabled: boolean;
status: components["schemas"]["AppEventTagStatus"];
last_tracked_at: string | null;
};
AppEventView: {
app_id: string;
os_type: components["schemas"]["AppEventOsType"];
hashed_device_id: string;
conversion_type: components["schemas"]["AppConversionType"];
conversion_time: string;
click_window: number;
view_through_window: number;
conversion_value_micro: number | null;
limit_ad_tracking: boolean;
partner_client_id: string;
tpn_attribution: string | null;
platform_attribution: {
[key: string]: unknown;
} | components["schemas"]["PlatformAttributionView"] | null;
event_metadata: components["schemas"]["AppEventMetadataView"];
non_platform_engagement_time: string | null;
non_platform_engagement_type: components["schemas"]["PartnerEngagement"] | null;
};
AppListItemView: {
id: string;
created_at: string;
updated_at: string;
deleted: boolean;
name: string;
};
AppListSortKey: "created_at-asc" | "created_at-desc" | "updated_at-asc" | "updated_at-desc" | "deleted-asc" | "deleted-desc";
AppListView: {
id: string;
created_at: string;
updated_at: string;
deleted: boolean;
name: string;
apps: components["schemas"]["ListedAppView"][];
};
AppStore: "ANDROID" | "IOS";
AppStoreCategoryView: {
name: string;
targeting_value: string;
targeting_type: components["schemas"]["TargetingType"];
os_type: components["schemas"]["AppStore"];
};
AppendSegment: {
segment_index: number;
};
AppendedSegmentView: {
expires_at: number;
};
ApprovalStatus: "ACCEPTED" | "UNDER_REVIEW" | "REJECTED";
AssociatedMetadataView: {
alt_text?: components["schemas"]["AltText"];
allow_download_status?: components["schemas"]["DownloadStatus"];
};
AttributedEngagement: "CLICK" | "VIEW";
AudienceDiagnosticsView: {
persons_uploaded: number | null;
persons_valid: number | null;
persons_matched: number | null;
persons_not_yet_effective: number | null;
persons_expired: number | null;
identifiers: {
[key: string]: unknown;
} | components["schemas"]["IdentifierCountsView"] | null;
};
AudienceEstimateView: {
audience_size: components["schemas"]["AudienceSizeView"];
};
AudienceExpansion: "BROAD" | "DEFINED" | "EXPANDED";
AudienceMetadataView: {
custom_audience_id: string;
account_id: string;
name: string;
audience_source: string;
upload_status: string;
segments: components["schemas"]["SegmentView"];
};
AudiencePermissionSortKey: "created_at-asc" | "created_at-desc" | "updated_at-asc" | "updated_at-desc" | "deleted-asc" | "deleted-desc";
AudienceSizeView: {
min: number;
max: number;
};
AudienceType: "CRM" | "FLEXIBLE" | "MOBILE_AUDIENCE" | "WEB";
AudienceUser: {
email?: string[];
device_id?: string[];
handle?: string[];
platform_id?: string[];
phone_number?: string[];
partner_user_id?: string[];
};
AuthScheme: "OAUTH1" | "BEARER" | "BASIC" | "NONE";
AuthenticatedUserAccessView: {
user_id: string;
permissions: components["schemas"]["UserPermission"][];
};
AuthorView: {
id: number;
id_str: string;
name?: string;
screen_name?: string;
location?: string;
description?: string;
url?: string | null;
protected?: boolean;
followers_count?: number;
friends_count?: number;
listed_count?: number;
created_at?: string;
favourites_count?: number;
utc_offset?: number | null;
time_zone?: string | null;
geo_enabled?: boolean;
verified?: boolean;
statuses_count?: number;
lang?: string | null;
contributors_enabled?: boolean;
is_translator?: boolean;
is_translation_enabled?: boolean;
profile_background_color?: string;
profile_background_image_url?: string | null;
profile_background_image_url_https?: string | null;
profile_background_tile?: boolean;
profile_image_url?: string;
profile_image_url_https?: string;
profile_banner_url?: string | null;
profile_link_color?: string;
profile_sidebar_border_color?: string;
profile_sidebar_fill_color?: string;
profile_text_color?: string;
profile_use_background_image?: boolean;
default_profile?: boolean;
default_profile_image?: boolean;
following?: boolean;
follow_request_sent?: boolean;
notifications?: boolean;
translator_type?: string;
withheld_in_countries?: string[];
};
BatchAudienceType: "FLEXIBLE" | "MOBILE_AUDIENCE";
BidStrategy: "AUTO" | "MAX" | "TARGET";
BiddingRuleView: {
currency: string;
minimum_cpe_bid_local_micro: number;
maximum_cpe_bid_local_micro: number;
minimum_denomination: number;
};
BillTo: "ADVERTISER" | "AGENCY" | "NOT_SET";
BooleanOperator: "AND" | "OR";
BudgetOptimization: "CAMPAIGN" | "LINE_ITEM";
BusinessRelationship: "AGENCY" | "SELF";
ButtonComponentView: {
/** @constant */
type: "BUTTON";
label: components["schemas"]["ButtonLabelView"];
destination: components["schemas"]["AppDestinationView"] | components["schemas"]["LeadFormDestinationView"];
};
ButtonLabel: "BOOK" | "CONNECT" | "INSTALL" | "OPEN" | "ORDER" | "PLAY" | "SHOP";
ButtonLabelView: {
/** @constant */
type: "ENUM";
value: components["schemas"]["ButtonLabel"];
};
CallToAction: "GO_TO" | "SEE_MORE" | "SHOP" | "VISIT_SITE" | "WATCH_NOW";
CampaignSortKey: "created_at-asc" | "created_at-desc" | "updated_at-asc" | "updated_at-desc" | "deleted-asc" | "deleted-desc" | "name-asc" | "name-desc" | "start_time-asc" | "start_time-desc" | "end_time-asc" | "end_time-desc" | "daily_budget_amount_local_micro-asc" | "daily_budget_amount_local_micro-desc" | "total_budget_amount_local_micro-asc" | "total_budget_amount_local_micro-desc" | "standard_delivery-asc" | "standard_delivery-desc";
CampaignView: {
id: string;
created_at: string;
updated_at: string;
deleted: boolean;
name: string;
budget_optimization: components["schemas"]["BudgetOptimization"];
reasons_not_servable: components["schemas"]["ReasonNotServable"][];
servable: boolean | null;
purchase_order_number: string | null;
effective_status: components["schemas"]["EffectiveStatus"];
daily_budget_amount_local_micro: number | null;
funding_instrument_id: string;
duration_in_days: number | null;
standard_delivery: boolean | null;
total_budget_amount_local_micro: number | null;
entity_status: components["schemas"]["EntityStatus"];
frequency_cap: number | null;
currency: string;
};
CardSortKey: "created_at-asc" | "created_at-desc" | "updated_at-asc" | "updated_at-desc" | "deleted-asc" | "deleted-desc" | "name-asc" | "name-desc";
CardType: "IMAGE_APP" | "IMAGE_CAROUSEL_APP" | "IMAGE_CAROUSEL_WEBSITE" | "IMAGE_MULTI_DEST_CAROUSEL_WEBSITE" | "IMAGE_WEBSITE" | "MIXED_MEDIA_MULTI_DEST_CAROUSEL_WEBSITE" | "MIXED_MEDIA_SINGLE_DEST_CAROUSEL_APP" | "MIXED_MEDIA_SINGLE_DEST_CAROUSEL_WEBSITE" | "VIDEO_APP" | "VIDEO_CAROUSEL_APP" | "VIDEO_CAROUSEL_WEBSITE" | "VIDEO_MULTI_DEST_CAROUSEL_WEBSITE" | "VIDEO_WEBSITE";
CardView: {
id: string;
created_at: string;
updated_at: string;
deleted: boolean;
card_uri: string;
name: string;
card_type: components["schemas"]["CardType"];
components?: (components["schemas"]["MediaComponentView"] | components["schemas"]["SwipeableMediaComponentView"] | components["schemas"]["DetailsComponentView"] | components["schemas"]["ButtonComponentView"])[];
slides?: (components["schemas"]["MediaComponentView"] | components["schemas"]["DetailsComponentView"])[][];
};
ChangeByView: {
user_id: string;
platform: string;
};
ChangeType: "CREATE" | "UPDATE" | "DELETE";
ClockDeletedView: {
deleted: boolean;
};
ClockProgressView: {
done: number;
total: number;
};
ConnectionFault: "EMPTY_RESPONSE" | "MALFORMED_RESPONSE_CHUNK" | "RANDOM_DATA_THEN_CLOSE" | "CONNECTION_RESET_BY_PEER";
ContentCategoryView: {
name: string;
id: string;
iab_categories: string[];
publishers_in_last_thirty_days: number;
videos_monetized_in_last_thirty_days: number;
};
ConversationSettings: "EVERYONE" | "FOLLOWING" | "MENTIONED_USERS";
ConversationType: "ACTORS" | "ATHLETES" | "BOOK_GENRES" | "BOOKS" | "BRAND_CATEGORIES" | "BRANDS" | "CELEBRITIES" | "COACHES" | "DIGITAL_CREATORS" | "ENTERTAINMENT_BRANDS" | "ENTERTAINMENT_PERSONALITIES" | "FICTIONAL_CHARACTERS" | "JOURNALISTS" | "LIFESTYLES" | "MOVIE_GENRES" | "MOVIES" | "MUSIC_GENRES" | "MUSICIANS" | "NEWS_STORIES" | "NEWS" | "PERSONS" | "PLACES" | "PODCASTS" | "POLITICAL_AFFILIATIONS" | "POLITICIANS" | "PRODUCTS" | "RADIO_STATIONS" | "SPORTS_LEAGUES" | "SPORTS_PERSONALITIES" | "SPORTS_TEAMS" | "SPORTS" | "TRENDS" | "TV_SHOWS" | "VIDEO_GAME_PLATFORMS" | "VIDEO_GAME_PUBLISHERS" | "VIDEO_GAMES";
ConversationView: {
name: string;
targeting_value: string;
targeting_type: components["schemas"]["TargetingType"];
conversation_type: components["schemas"]["ConversationType"];
};
ConversionContent: {
content_id?: string;
content_group_id?: string;
content_name?: string;
content_price?: number | string;
content_type?: string;
num_items?: number;
};
ConversionIdentifier: "hashed_email" | "hashed_phone_number" | "twclid";
ConversionIdentifiers: {
twclid?: string;
hashed_email?: string;
hashed_phone_number?: string;
ip_address?: string;
user_agent?: string;
twpid?: string;
};
ConversionState: "NO_TAG" | "WAITING" | "UNATTRIBUTED" | "ATTRIBUTED";
CountRequestForm: {
path?: string;
method?: components["schemas"]["JournaledMethod"][];
status?: string[];
account_id?: string;
request_id?: string;
unmatched?: boolean;
namespace_id?: string;
start_time?: string;
end_time?: string;
};
CreateAbTest: {
name?: string | null;
description?: string | null;
start_time: string;
end_time: string;
entity_type: components["schemas"]["AbTestEntityType"];
user_groups: {
entity_ids: string[];
size: string;
name?: string | null;
description?: string | null;
}[];
};
CreateAppEventTagForm: {
app_store_identifier: string;
os_type: components["schemas"]["AppEventOsType"];
conversion_type: components["schemas"]["AppConversionType"];
provider_app_event_id: string;
provider_app_event_name: string;
deep_link_scheme?: string;
/** @enum {integer} */
post_engagement_attribution_window?: 1 | 7 | 14 | 30;
/** @enum {integer} */
post_view_attribution_window?: 0 | 1 | 7 | 14 | 30;
retargeting_enabled?: boolean;
};
CreateAppListForm: {
name: string;
app_store_identifiers: string[];
};
CreateAudienceOperation: {
audience_type: components["schemas"]["BatchAudienceType"];
name: string;
description?: string | null;
child_segments?: components["schemas"]["SegmentView"][] | null;
segments?: components["schemas"]["SegmentView"] | null;
boolean_operator?: components["schemas"]["BooleanOperator"] | null;
frequency?: number | null;
frequency_comparator?: components["schemas"]["FrequencyComparator"] | null;
negate?: boolean | null;
};
CreateCampaign: {
daily_budget_amount_local_micro?: number | null;
purchase_order_number?: string | null;
total_budget_amount_local_micro?: number | null;
funding_instrument_id: string;
name: string;
budget_optimization?: components["schemas"]["BudgetOptimization"] | null;
standard_delivery?: boolean | null;
entity_status?: components["schemas"]["EntityStatus"];
};
CreateCampaignForm: {
funding_instrument_id: string;
name: string;
daily_budget_amount_local_micro?: number;
purchase_order_number?: string;
total_budget_amount_local_micro?: number;
budget_optimization?: components["schemas"]["BudgetOptimization"];
standard_delivery?: boolean;
entity_status?: components["schemas"]["EntityStatus"];
};
CreateCard: {
name: string;
components?: (components["schemas"]["MediaComponentView"] | components["schemas"]["SwipeableMediaComponentView"] | components["schemas"]["DetailsComponentView"] | components["schemas"]["ButtonComponentView"])[] | null;
slides?: (components["schemas"]["MediaComponentView"] | components["schemas"]["DetailsComponentView"])[][] | null;
};
CreateCustomAudienceForm: {
name: string;
description?: string;
};
CreateCustomAudiencePermissionForm: {
granted_account_id: string;
permission_level: components["schemas"]["PermissionLevel"];
};
CreateDoNotReachListForm: {
description?: string;
};
CreateDraftPostForm: {
as_user_id: string;
text?: string;
card_uri?: string;
media_keys?: string[];
nullcast?: boolean;
name?: string;
};
CreateDynamicProductCard: {
url: string;
creative_type?: components["schemas"]["ProductCreativeType"];
name?: string;
};
CreateEngagementForm: {
account_id: string;
line_item_id: string;
user_id: string;
type?: components["schemas"]["EngagementType"];
time?: string;
ip_address?: string;
user_agent?: string;
};
CreateFaultForm: {
operation?: string;
account_id?: string;
probability?: number;
times?: number;
latency_ms?: string;
error_status?: number;
error_code?: string;
fault?: components["schemas"]["ConnectionFault"];
applied?: components["schemas"]["FaultPhase"];
rate_limit_remaining?: number;
rate_limit_reset_in?: number;
webhook_fault?: components["schemas"]["WebhookFault"];
webhook_id?: string;
event?: string;
ttl?: number;
};
CreateFundingInstrumentForm: {
currency: string;
start_time: string;
type: components["schemas"]["FundingType"];
end_time?: string;
credit_limit_local_micro?: number;
funded_amount_local_micro?: number;
};
CreateImageConversationCardForm: {
name: string;
first_cta: string;
first_cta_post: string;
thank_you_text: string;
media_key: string;
title?: string;
second_cta?: string;
second_cta_post?: string;
third_cta?: string;
third_cta_post?: string;
fourth_cta?: string;
fourth_cta_post?: string;
unlocked_image_media_key?: string;
thank_you_url?: string;
};
CreateLeadExport: {
entity_type: components["schemas"]["LeadExportEntityType"];
lead_form_id: string;
start_epoch: number;
end_epoch: number;
response_format?: components["schemas"]["LeadFileFormat"];
};
CreateLeadForm: {
name: string;
purpose: string;
fields: components["schemas"]["LeadFieldView"][];
privacy_policy: components["schemas"]["PrivacyPolicyView"];
introduction?: components["schemas"]["LeadIntroductionView"];
final_page?: components["schemas"]["FinalPageView"];
};
CreateLineItem: {
name?: string | null;
advertiser_domain?: string | null;
advertiser_user_id?: string | null;
android_app_store_identifier?: string | null;
ios_app_store_identifier?: string | null;
audience_expansion?: components["schemas"]["AudienceExpansion"] | null;
bid_amount_local_micro?: number | null;
bid_strategy?: components["schemas"]["BidStrategy"] | null;
categories?: string[] | null;
catalog_id?: string | null;
daily_budget_amount_local_micro?: number | null;
/** @enum {integer|null} */
duration_in_days?: 1 | 7 | 30 | null;
frequency_cap?: number | null;
goal?: components["schemas"]["Goal"] | null;
pay_by?: components["schemas"]["PayBy"] | null;
product_set_id?: string | null;
total_budget_amount_local_micro?: number | null;
campaign_id: string;
start_time: string;
end_time?: string | null;
objective: components["schemas"]["Objective"];
placements: components["schemas"]["Placement"][];
product_type: components["schemas"]["ProductType"];
primary_web_event_tag?: string | null;
creative_source?: components["schemas"]["CreativeSource"];
standard_delivery?: boolean | null;
entity_status?: components["schemas"]["EntityStatus"];
};
CreateLineItemAppForm: {
line_item_id: string;
app_store_identifier: string;
os_type: components["schemas"]["AppEventOsType"];
};
CreateLineItemCuratedCategoryForm: {
curated_category_id: string;
line_item_id: string;
};
CreateLineItemForm: {
campaign_id: string;
start_time: string;
objective: components["schemas"]["Objective"];
placements: components["schemas"]["Placement"][];
product_type: components["schemas"]["ProductType"];
name?: string;
advertiser_domain?: string;
advertiser_user_id?: string;
android_app_store_identifier?: string;
ios_app_store_identifier?: string;
audience_expansion?: components["schemas"]["AudienceExpansion"];
bid_amount_local_micro?: number;
bid_strategy?: components["schemas"]["BidStrategy"];
categories?: string[];
catalog_id?: string;
daily_budget_amount_local_micro?: number;
/** @enum {integer} */
duration_in_days?: 1 | 7 | 30;
frequency_cap?: number;
goal?: components["schemas"]["Goal"];
pay_by?: components["schemas"]["PayBy"];
product_set_id?: string;
total_budget_amount_local_micro?: number;
end_time?: string;
primary_web_event_tag?: string;
creative_source?: components["schemas"]["CreativeSource"];
standard_delivery?: boolean;
entity_status?: components["schemas"]["EntityStatus"];
};
CreateMediaCreativeForm: {
account_media_id: string;
line_item_id: string;
landing_url?: string;
};
CreateNamespaceForm: {
name?: string;
ttl?: number;
};
CreatePollCardForm: {
duration_in_minutes: number;
first_choice: string;
second_choice: string;
name: string;
third_choice?: string;
fourth_choice?: string;
media_key?: string;
};
CreatePostForm: {
as_user_id: string;
text?: string;
card_uri?: string;
media_keys?: string[];
nullcast?: boolean;
name?: string;
conversation_settings?: components["schemas"]["ConversationSettings"];
trim_user?: boolean;
post_mode?: components["schemas"]["PostMode"];
dynamic_product_ad?: boolean;
video_cta?: components["schemas"]["VideoCta"];
video_cta_value?: string;
video_description?: string;
video_title?: string;
};
CreatePrerollCallToActionForm: {
line_item_id: string;
call_to_action: components["schemas"]["CallToAction"];
call_to_action_url: string;
};
CreateProductCatalogForm: {
name: string;
user_id?: string;
};
CreateProductSet: {
user_id?: string;
name: string;
description?: string | null;
type: components["schemas"]["ProductSetType"];
product_keys?: string[];
filters?: components["schemas"]["SentFilter"][];
};
CreatePromotedAccountForm: {
line_item_id: string;
user_id: string;
};
CreatePromotedPostForm: {
line_item_id: string;
post_ids: string[];
};
CreateProviderConfigurationForm: {
provider_advertiser_id: string;
};
CreateReceivedConversionForm: {
account_id: string;
event_id: string;
conversion_id?: string;
conversion_time?: string;
value?: string;
price_currency?: string;
number_items?: string;
twclid?: string;
email?: string;
phone_number?: string;
};
CreateScheduledFeedForm: {
feed_url: string;
feed_format: components["schemas"]["FeedFormat"];
frequency: components["schemas"]["FeedFrequency"];
start_time: string;
time_zone: string;
user_id?: string;
repeat?: string;
};
CreateScheduledPostForm: {
as_user_id: string;
scheduled_at: string;
text?: string;
card_uri?: string;
media_keys?: string[];
nullcast?: boolean;
name?: string;
};
CreateScheduledPromotedPostForm: {
line_item_id: string;
scheduled_post_id: string;
};
CreateStatisticsJobForm: {
entity: components["schemas"]["StatisticsEntity"];
entity_ids: string[];
start_time: string;
end_time: string;
granularity: components["schemas"]["StatisticsGranularity"];
metric_groups: components["schemas"]["MetricGroup"][];
placement: components["schemas"]["StatisticsPlacement"];
segmentation_type?: components["schemas"]["SegmentationType"];
country?: string;
platform?: string;
};
CreateTailoredAudiencePermissionForm: {
granted_account_id: string;
permission_level: components["schemas"]["PermissionLevel"];
};
CreateTargetingCriteriaForm: {
line_item_id: string;
targeting_type: components["schemas"]["TargetingType"];
targeting_value: string;
operator_type?: components["schemas"]["OperatorType"];
};
CreateTargetingCriterion: {
line_item_id: string;
operator_type?: components["schemas"]["OperatorType"] | null;
targeting_type: components["schemas"]["TargetingType"];
targeting_value: string;
};
CreateTestClockForm: {
name: string;
frozen_time: string;
account_ids?: string[];
};
CreateTrackingTagForm: {
line_item_id: string;
tracking_tag_type: components["schemas"]["TrackingTagType"];
tracking_tag_url: string;
};
CreateVideoConversationCardForm: {
name: string;
first_cta: string;
first_cta_post: string;
thank_you_text: string;
media_key: string;
title?: string;
second_cta?: string;
second_cta_post?: string;
third_cta?: string;
third_cta_post?: string;
fourth_cta?: string;
fourth_cta_post?: string;
unlocked_image_media_key?: string;
thank_you_url?: string;
poster_media_key?: string;
unlocked_video_media_key?: string;
};
CreateWebEventTagForm: {
name: string;
type: components["schemas"]["WebEventType"];
/** @enum {integer} */
click_window: 1 | 7 | 14 | 30;
/** @enum {integer} */
view_through_window: 0 | 1 | 7 | 14 | 30;
retargeting_enabled: boolean;
};
CreatedNamespaceView: {
account_id: string;
application_id: string;
created_at: string;
expires_at: string;
funding_instrument_id: string;
id: string;
name: string;
sandbox_account_id: string;
sandbox_funding_instrument_id: string;
user_id: string;
username: string;
access_token: string;
access_token_secret: string;
ads_base_url: string;
ads_sandbox_base_url: string;
base_url: string;
consumer_key: string;
consumer_secret: string;
};
CreatedPostView: {
created_at: string;
id: number;
id_str: string;
name: string | null;
truncated: boolean;
entities: components["schemas"]["EntitiesView"];
source: string;
in_reply_to_status_id: number | null;
in_reply_to_status_id_str: string | null;
in_reply_to_user_id: number | null;
in_reply_to_user_id_str: string | null;
in_reply_to_screen_name: string | null;
user: components["schemas"]["AuthorView"];
geo: {
[key: string]: unknown;
} | null;
coordinates: {
[key: string]: unknown;
} | null;
place: {
[key: string]: unknown;
} | null;
contributors: number[] | null;
retweet_count: number;
favorite_count: number;
favorited: boolean;
retweeted: boolean;
scopes: components["schemas"]["ScopesView"];
lang: string;
card_uri?: string;
dynamic_product_ad?: boolean;
text?: string;
full_text?: string;
display_text_range?: number[];
};
CreativeSource: "DYNAMIC_PRODUCT_CREATIVE" | "MANUAL";
CreativeType: "BANNER" | "BANNER_TABLET" | "INTERSTITIAL" | "INTERSTITIAL_LANDSCAPE" | "INTERSTITIAL_LANDSCAPE_TABLET" | "INTERSTITIAL_TABLET" | "MEDIUM_RECTANGLE" | "PREROLL" | "VAST_PREROLL";
CriterionLocationType: "COUNTRY" | "REGION" | "METRO" | "CITY" | "POSTAL_CODE";
CuratedCategorySortKey: "created_at-asc" | "created_at-desc" | "updated_at-asc" | "updated_at-desc" | "deleted-asc" | "deleted-desc" | "name-asc" | "name-desc";
CuratedCategoryView: {
name: string;
description: string;
country_codes: string[];
publisher_user_ids: string[];
id: string;
created_at: string;
updated_at: string;
videos_monetized_in_last_thirty_days: number;
};
CustomAudiencePermissionView: {
custom_audience_id: string;
permission_level: components["schemas"]["PermissionLevel"];
id: string;
created_at: string;
granted_account_id: string;
updated_at: string;
deleted: boolean;
};
CustomAudienceSortKey: "created_at-asc" | "created_at-desc" | "updated_at-asc" | "updated_at-desc" | "deleted-asc" | "deleted-desc" | "name-asc" | "name-desc";
CustomAudienceView: {
id: string;
created_at: string;
updated_at: string;
deleted: boolean;
targetable: boolean;
name: string;
targetable_types: components["schemas"]["TargetableType"][];
audience_type: components["schemas"]["AudienceType"];
description: string | null;
permission_level: components["schemas"]["PermissionLevel"];
owner_account_id: string;
is_owner: boolean;
reasons_not_targetable: components["schemas"]["ReasonNotTargetable"][];
metadata?: components["schemas"]["AudienceMetadataView"][];
partner_source: string;
audience_size: number | null;
};
DeleteAudienceOperation: {
custom_audience_id: string;
};
DeleteAudienceUsers: {
users: components["schemas"]["AudienceUser"][];
effective_at?: string | null;
expires_at?: string | null;
};
DeleteCampaignOperation: {
campaign_id: string;
};
DeleteLineItemOperation: {
line_item_id: string;
};
DeleteProducts: {
user_id?: string;
product_keys: string[];
};
DeleteTargetingCriterionOperation: {
targeting_criterion_id: string;
};
DeletedProductView: {
product_key: string | null;
failed_product_key: string | null;
message: string;
};
DeletedProductsView: {
delete_products: components["schemas"]["DeletedProductView"][];
};
DeliveryPlacement: "ALL_ON_PLATFORM" | "PUBLISHER_NETWORK";
DescribeMedia: {
id: string;
metadata: components["schemas"]["MediaMetadata"];
};
DescribedMediaView: {
id: string;
associated_metadata: components["schemas"]["AssociatedMetadataView"];
};
DetailsComponentView: {
/** @constant */
type: "DETAILS";
title: string;
destination: components["schemas"]["WebsiteDestinationView"] | components["schemas"]["LeadFormDestinationView"];
};
DeviceView: {
name: string;
targeting_value: string;
manufacturer: string;
os_type: components["schemas"]["OsType"];
targeting_type: components["schemas"]["TargetingType"];
};
DoNotReachListSortKey: "created_at-asc" | "created_at-desc" | "updated_at-asc" | "updated_at-desc" | "deleted-asc" | "deleted-desc";
DoNotReachListView: {
targetable: boolean;
name: string;
description: string | null;
id: string;
reasons_not_targetable: components["schemas"]["ReasonNotTargetable"][];
created_at: string;
list_size: number | null;
updated_at: string;
deleted: boolean;
};
DoNotReachUser: {
email?: string[];
phone_number?: string[];
};
DoNotReachUsers: {
users?: components["schemas"]["DoNotReachUser"][] | null;
emails?: string[] | null;
expires_at?: string | null;
};
DownloadStatus: {
allow_download: boolean;
};
DraftPostSortKey: "created_at-asc" | "created_at-desc" | "updated_at-asc" | "updated_at-desc" | "deleted-asc" | "deleted-desc" | "name-asc" | "name-desc";
DraftPostStatus: "DELETED";
DraftPostView: {
id: string;
created_at: string;
updated_at: string;
deleted: boolean;
name: string | null;
text: string;
user_id: string;
nullcast: boolean;
card_uri: string | null;
media_keys: string[];
status?: components["schemas"]["DraftPostStatus"];
};
DynamicProductCardView: {
id: string;
created_at: string;
updated_at: string;
deleted: boolean;
card_uri: string;
name: string;
card_id: string;
/** @constant */
card_type: "DYNAMIC_PRODUCTS";
url: string;
creative_type: components["schemas"]["ProductCreativeType"];
};
EchoedOperation: {
params: {
[key: string]: unknown;
};
operation_type: string;
};
EchoedRequest: {
params: {
[key: string]: unknown;
};
};
EffectiveStatus: "UNKNOWN" | "DRAFT" | "PAUSED" | "UNDER_REVIEW" | "SCHEDULED" | "EXHAUSTED" | "EXPIRED" | "RUNNING";
EngagementType: "CLICK" | "VIEW";
EngagementView: {
account_id: string;
id: string;
line_item_id: string;
placement: string;
promoted_id: string;
time: string;
twclid: string | null;
type: components["schemas"]["EngagementType"];
user_id: string;
};
EntitiesView: {
hashtags: components["schemas"]["TagView"][];
symbols: components["schemas"]["TagView"][];
user_mentions: components["schemas"]["MentionView"][];
urls: components["schemas"]["UrlView"][];
media?: components["schemas"]["MediaEntityView"][];
};
EntityStatus: "ACTIVE" | "DRAFT" | "PAUSED";
EstimateAudience: {
targeting_criteria: {
targeting_type: components["schemas"]["TargetingType"];
targeting_value: string;
operator_type?: components["schemas"]["OperatorType"];
}[];
};
EventReachView: {
total_reach: number | null;
};
EventType: "CONFERENCE" | "HOLIDAY" | "MUSIC_AND_ENTERTAINMENT" | "OTHER" | "POLITICS" | "RECURRING" | "SPORTS";
FaultDeletedView: {
deleted: boolean;
};
FaultPhase: "BEFORE_COMMIT" | "AFTER_COMMIT";
FaultView: {
account_id: string | null;
active: boolean;
applied: components["schemas"]["FaultPhase"];
applied_count: number;
created_at: string;
error_code: string | null;
error_status: number | null;
event: string | null;
expires_at: string;
fault: components["schemas"]["ConnectionFault"] | null;
id: string;
last_applied_at: string | null;
latency_ms: string | null;
operation: string | null;
probability: number;
rate_limit_remaining: number | null;
rate_limit_reset_at: string | null;
times: number | null;
updated_at: string;
webhook_fault: components["schemas"]["WebhookFault"] | null;
webhook_id: string | null;
};
Feature: "AGE_TARGETING" | "ALLOW_SKIPPABLE_VIDEOS_FOR_PREROLL_VIEWS_OBJECTIVE" | "AWARENESS_OBJECTIVE" | "BRAND_TPN" | "CHARGE_FOR_GOOD_CLICK" | "CITY_TARGETING" | "CONVERSATION_CARD" | "CONVERSATION_CARD_FOUR_OPTIONS" | "CONVERSATION_CARD_UNLOCK" | "CPI_CHARGING" | "DIRECT_MESSAGE_CARD" | "DR_TAP" | "ENGAGER_RETARGETING" | "EVENT_TARGETING" | "INSTALLED_APP_CATEGORY_TARGETING" | "MOBILE_CONVERSION_TRANSACTION_VALUE" | "OPTIMIZED_ACTION_BIDDING" | "PREROLL_VIEWS_OBJECTIVE" | "PROMOTED_MEDIA_POLLS" | "REACH_AND_FREQUENCY_ANALYTICS" | "REACH_FREQUENCY_CAP" | "SHARE_AUDIENCE_OUTSIDE_BUSINESS" | "UNIVERSAL_LOOKALIKE" | "VALIDATED_AGE_TARGETING" | "VIDEO_APP_DOWNLOAD_CARD" | "VIDEO_VIEWS_MIDROLL_OBJECTIVE" | "WEBSITE_CLICKS_CPM_BILLING";
FeedFetchStatus: "WAITING" | "RUNNING" | "DONE" | "FAILED";
FeedFetchView: {
scheduled_feed_id: string;
status: components["schemas"]["FeedFetchStatus"];
next_fetch_at: string | null;
started_at: string | null;
ended_at: string | null;
error: string | null;
row_count: number;
created_count: number;
updated_count: number;
unchanged_count: number;
rejected_count: number;
ignored_columns: string[];
rejections: components["schemas"]["FeedRejectionView"][];
rejected_rows: components["schemas"]["RejectedRowView"][];
};
FeedFormat: "CSV" | "TSV" | "XML";
FeedFrequency: "HOURLY" | "DAILY" | "WEEKLY";
FeedRejectionView: {
code: string;
parameter: string | null;
count: number;
};
FetchScheduledFeedForm: {
user_id?: string;
};
FinalPageView: {
headline: string;
description?: string;
cta_button?: components["schemas"]["LeadButtonView"];
};
FoundMediaView: {
media_key: string;
type: components["schemas"]["MediaKind"];
alt_text?: string;
duration_ms?: number;
height?: number;
width?: number;
preview_image_url?: string;
url?: string;
variants?: components["schemas"]["MediaVariantView"][];
};
FrequencyComparator: "NUM_GTE" | "NUM_GT" | "NUM_EQ" | "NUM_LTE" | "NUM_LT";
FundingInstrumentSortKey: "created_at-asc" | "created_at-desc" | "updated_at-asc" | "updated_at-desc" | "deleted-asc" | "deleted-desc" | "funded_amount_local_micro-asc" | "funded_amount_local_micro-desc" | "start_time-asc" | "start_time-desc" | "end_time-asc" | "end_time-desc";
FundingInstrumentView: {
id: string;
created_at: string;
updated_at: string;
deleted: boolean;
start_time: string;
description: string;
credit_limit_local_micro: number | null;
end_time: string | null;
entity_status: components["schemas"]["FundingStatus"];
account_id: string;
reasons_not_able_to_fund: components["schemas"]["ReasonNotAbleToFund"][];
io_header: string | null;
currency: string;
funded_amount_local_micro: number | null;
type: components["schemas"]["FundingType"];
able_to_fund: boolean;
credit_remaining_local_micro: number | null;
};
FundingStatus: "ACTIVE" | "PAUSED";
FundingType: "AGENCY_CREDIT_LINE" | "CREDIT_CARD" | "CREDIT_LINE" | "INSERTION_ORDER" | "PARTNER_MANAGED";
Goal: "APP_CLICKS" | "APP_INSTALLS" | "APP_PURCHASES" | "ENGAGEMENT" | "FOLLOWERS" | "LINK_CLICKS" | "MAX_REACH" | "PREROLL" | "PREROLL_STARTS" | "REACH_WITH_ENGAGEMENT" | "SITE_VISITS" | "VIDEO_VIEW" | "VIEW_3S_100PCT" | "VIEW_6S" | "VIEW_15S" | "WEBSITE_CONVERSIONS";
Granularity: "DAY" | "HOUR";
HistoryEntity: "CAMPAIGN" | "LINE_ITEM" | "PROMOTED_POST" | "TARGETING_CRITERIA" | "PROMOTED_ACCOUNT";
IabCategoryView: {
id: string;
parent_id: string | null;
name: string;
};
IdentifierCountsView: {
email: number;
device_id: number;
handle: number;
platform_id: number;
phone_number: number;
partner_user_id: number;
};
ImageConversationCardView: {
id: string;
created_at: string;
updated_at: string;
deleted: boolean;
card_uri: string;
name: string;
card_id: string;
title: string | null;
first_cta: string;
first_cta_post: string;
second_cta?: string;
second_cta_post?: string;
third_cta?: string;
third_cta_post?: string;
fourth_cta?: string;
fourth_cta_post?: string;
thank_you_text: string;
thank_you_url?: string;
media_key: string;
media_url: string;
unlocked_image_url?: string;
/** @constant */
card_type: "IMAGE_CONVERSATION";
image_display_width: string;
image_display_height: string;
};
IndustryType: "AGENCY" | "BUSINESS_TO_BUSINESS" | "ONLINE_SERVICES" | "EDUCATION" | "FINANCIAL" | "HEALTH" | "GOVERNMENT" | "MEDIA" | "MOBILE" | "RESTAURANT" | "RETAIL" | "TECHNOLOGY" | "TRAVEL" | "OTHER";
InitializeUpload: {
total_bytes: number;
media_type: string;
media_category?: components["schemas"]["UploadCategory"];
additional_owners?: string[];
};
InterestView: {
name: string;
targeting_value: string;
targeting_type: components["schemas"]["TargetingType"];
};
InvalidateOAuth2Form: {
access_token: string;
};
InvoiceJurisdiction: "LOI_SAPIN" | "NONE" | "NOT_SET";
JournaledMethod: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
JournaledRequestDetailView: {
account_id: string | null;
created_at: string;
duration_ms: number;
id: string;
method: string;
path: string;
request_id: string;
status: number;
unmatched: boolean;
user_id: string | null;
auth_scheme: components["schemas"]["AuthScheme"];
body: components["schemas"]["RecordedBodyView"];
commands: components["schemas"]["RepeatCommandsView"];
events: components["schemas"]["RequestEventView"][];
fault: string | null;
headers: {
[key: string]: unknown;
};
parameters: {
[key: string]: unknown;
};
response: components["schemas"]["RecordedBodyView"];
response_headers: {
[key: string]: unknown;
};
signature: {
[key: string]: unknown;
} | components["schemas"]["RecordedSignatureView"] | null;
url: string;
user_agent: string | null;
};
JournaledRequestView: {
account_id: string | null;
created_at: string;
duration_ms: number;
id: string;
method: string;
path: string;
request_id: string;
status: number;
unmatched: boolean;
user_id: string | null;
};
KeywordInsightsView: {
related_keywords: string[];
post_volume: number[];
};
LanguageV1: {
language_code: string;
};
LanguagesInfoV1: {
subtitles: components["schemas"]["LanguageV1"][];
};
LeadButtonView: {
url: string;
title: string;
};
LeadExportEntityType: "leads";
LeadExportStatus: "QUEUED" | "PROCESSING" | "SUCCESS" | "FAILED" | "CANCELLED";
LeadExportView: {
id: string;
entity_type: components["schemas"]["LeadExportEntityType"];
lead_form_id: string;
start_epoch: number;
end_epoch: number;
response_format: components["schemas"]["LeadFileFormat"];
status: components["schemas"]["LeadExportStatus"];
download_url: string | null;
expires_at: string | null;
created_at: string;
updated_at: string;
};
LeadFieldKey: "CITY" | "COMPANY_NAME" | "COUNTRY" | "DATE_OF_BIRTH" | "EMAIL" | "FIRST_NAME" | "FULL_NAME" | "GENDER" | "HANDLE" | "JOB_TITLE" | "LAST_NAME" | "PHONE_NUMBER" | "STATE" | "STREET_ADDRESS" | "WORK_EMAIL" | "WORK_PHONE_NUMBER" | "ZIP_CODE";
LeadFieldView: {
key: components["schemas"]["LeadFieldKey"];
optional?: boolean;
};
LeadFileFormat: "csv" | "json" | "xlsx";
LeadFormDestinationView: {
/** @constant */
type: "LEAD_FORM";
id: string;
};
LeadFormSortKey: "created_at-asc" | "created_at-desc" | "updated_at-asc" | "updated_at-desc" | "deleted-asc" | "deleted-desc";
LeadFormView: {
id: string;
created_at: string;
updated_at: string;
deleted: boolean;
name: string;
purpose: string;
introduction?: components["schemas"]["LeadIntroductionView"];
fields?: components["schemas"]["LeadFieldView"][];
privacy_policy?: components["schemas"]["PrivacyPolicyView"];
final_page?: components["schemas"]["FinalPageView"];
};
LeadIntroductionView: {
headline: string;
description?: string;
};
LeadView: {
account_id: string;
campaign_id: string | null;
field_values: {
[key: string]: string;
};
id: string;
lead_form_id: string;
line_item_id: string | null;
post_id: string | null;
submitted_at: string;
};
LibraryMediaSortKey: "created_at-asc" | "created_at-desc" | "updated_at-asc" | "updated_at-desc" | "deleted-asc" | "deleted-desc" | "name-asc" | "name-desc";
LibraryMediaView: {
media_key: string;
media_type: components["schemas"]["MediaType"];
media_category: components["schemas"]["MediaCategory"];
media_status: components["schemas"]["MediaStatus"];
media_url: string;
name: string | null;
file_name: string;
posted: boolean;
duration?: number | null;
title?: string | null;
description?: string | null;
aspect_ratio?: string;
poster_media_key?: string;
poster_media_url?: string;
created_at: string;
updated_at: string;
deleted: boolean;
};
LineItemAppSortKey: "created_at-asc" | "created_at-desc" | "updated_at-asc" | "updated_at-desc" | "deleted-asc" | "deleted-desc";
LineItemAppView: {
id: string;
created_at: string;
updated_at: string;
deleted: boolean;
line_item_id: string;
app_store_identifier: string;
os_type: components["schemas"]["AppEventOsType"];
};
LineItemCuratedCategorySortKey: "created_at-asc" | "created_at-desc" | "updated_at-asc" | "updated_at-desc" | "deleted-asc" | "deleted-desc";
LineItemCuratedCategoryView: {
id: string;
created_at: string;
updated_at: string;
deleted: boolean;
line_item_id: string;
curated_category_id: string;
};
LineItemSortKey: "created_at-asc" | "created_at-desc" | "updated_at-asc" | "updated_at-desc" | "deleted-asc" | "deleted-desc" | "bid_amount_local_micro-asc" | "bid_amount_local_micro-desc";
LineItemView: {
id: string;
created_at: string;
updated_at: string;
deleted: boolean;
advertiser_user_id: string | null;
name: string | null;
placements: components["schemas"]["Placement"][];
start_time: string;
bid_amount_local_micro: number | null;
advertiser_domain: string | null;
target_cpa_local_micro: number | null;
primary_web_event_tag: string | null;
goal: components["schemas"]["Goal"];
daily_budget_amount_local_micro: number | null;
product_type: components["schemas"]["ProductType"];
end_time: string | null;
funding_instrument_id: string;
bid_strategy: components["schemas"]["BidStrategy"];
duration_in_days: number | null;
standard_delivery: boolean | null;
total_budget_amount_local_micro: number | null;
objective: components["schemas"]["Objective"];
entity_status: components["schemas"]["EntityStatus"];
automatic_post_promotion: boolean | null;
frequency_cap: number | null;
android_app_store_identifier: string | null;
categories: string[];
currency: string;
pay_by: components["schemas"]["PayBy"];
ios_app_store_identifier: string | null;
audience_expansion: components["schemas"]["AudienceExpansion"] | null;
campaign_id: string;
creative_source: components["schemas"]["CreativeSource"];
catalog_id: string | null;
product_set_id: string | null;
reasons_not_servable: components["schemas"]["ReasonNotServable"][];
servable: boolean | null;
effective_status: components["schemas"]["EffectiveStatus"];
};
ListedAppView: {
app_store_identifier: string;
os_type: components["schemas"]["AccountAppOsType"];
};
LocationType: "COUNTRIES" | "REGIONS" | "METROS" | "CITIES" | "POSTAL_CODES";
MediaAnalyticsField: "cta_url_clicks" | "cta_watch_clicks" | "media_key" | "play_from_tap" | "playback25" | "playback50" | "playback75" | "playback_complete" | "playback_start" | "timestamp" | "video_views" | "watch_time_ms";
MediaAnalyticsView: {
media_key: string;
timestamped_metrics: components["schemas"]["TimestampedMetricsView"][];
};
MediaCategory: "AMPLIFY_VIDEO" | "POST_GIF" | "POST_IMAGE" | "POST_VIDEO";
MediaComponentView: {
/** @constant */
type: "MEDIA";
media_key: string;
readonly media_metadata?: {
[key: string]: components["schemas"]["MediaMetadataView"];
};
};
MediaCreativeSortKey: "created_at-asc" | "created_at-desc" | "updated_at-asc" | "updated_at-desc" | "deleted-asc" | "deleted-desc" | "paused-asc" | "paused-desc";
MediaCreativeView: {
id: string;
created_at: string;
updated_at: string;
deleted: boolean;
line_item_id: string;
landing_url: string | null;
creative_type: components["schemas"]["CreativeType"];
entity_status: components["schemas"]["EntityStatus"];
account_media_id: string;
approval_status: components["schemas"]["ApprovalStatus"];
};
MediaEntityType: "photo" | "animated_gif" | "video";
MediaEntityView: {
id: number;
id_str: string;
media_key: string;
indices: number[];
media_url: string;
media_url_https: string;
url: string;
expanded_url: string;
display_url: string;
type: components["schemas"]["MediaEntityType"];
};
MediaField: "alt_text" | "duration_ms" | "height" | "media_key" | "non_public_metrics" | "organic_metrics" | "preview_image_url" | "promoted_metrics" | "public_metrics" | "type" | "url" | "variants" | "width";
MediaGranularity: "hourly" | "daily" | "total";
MediaKind: "animated_gif" | "photo" | "video";
MediaMetadata: {
alt_text?: components["schemas"]["AltText"];
allow_download_status?: components["schemas"]["DownloadStatus"];
};
MediaMetadataView: {
type: components["schemas"]["MediaType"];
url: string;
width: number;
height: number;
video_duration?: number;
video_aspect_ratio?: string;
};
MediaMetricsView: {
cta_url_clicks?: number;
cta_watch_clicks?: number;
playback25?: number;
playback50?: number;
playback75?: number;
playback_complete?: number;
playback_start?: number;
video_views?: number;
};
MediaStatus: "TRANSCODE_COMPLETED" | "TRANSCODE_FAILED" | "TRANSCODE_PENDING";
MediaType: "GIF" | "IMAGE" | "VIDEO";
MediaUploadV2View: {
media_key?: string;
size?: number;
expires_after_secs?: number;
image?: components["schemas"]["UploadedImageView"];
video?: components["schemas"]["UploadedVideoView"];
processing_info?: components["schemas"]["ProcessingInfoView"];
associated_subtitles?: components["schemas"]["SubtitlesView"][];
id: string;
};
MediaUploadView: {
media_key?: string;
size?: number;
expires_after_secs?: number;
image?: components["schemas"]["UploadedImageView"];
video?: components["schemas"]["UploadedVideoView"];
processing_info?: components["schemas"]["ProcessingInfoView"];
associated_subtitles?: components["schemas"]["SubtitlesView"][];
media_id: number;
media_id_string: string;
};
MediaVariantView: {
bit_rate: number;
content_type: string;
url: string;
};
MentionView: {
screen_name: string;
name: string;
id: number;
id_str: string;
indices: number[];
};
MetricGroup: "BILLING" | "ENGAGEMENT" | "LIFE_TIME_VALUE_MOBILE_CONVERSION" | "MEDIA" | "MOBILE_CONVERSION" | "VIDEO" | "WEB_CONVERSION";
NamespaceDeletedView: {
deleted: boolean;
};
NamespaceView: {
account_id: string;
application_id: string;
created_at: string;
expires_at: string;
funding_instrument_id: string;
id: string;
name: string;
sandbox_account_id: string;
sandbox_funding_instrument_id: string;
user_id: string;
username: string;
};
NetworkOperatorView: {
name: string;
targeting_value: string;
country_code: string;
targeting_type: components["schemas"]["TargetingType"];
};
Objective: "APP_ENGAGEMENTS" | "APP_INSTALLS" | "REACH" | "FOLLOWERS" | "ENGAGEMENTS" | "VIDEO_VIEWS" | "PREROLL_VIEWS" | "WEBSITE_CLICKS";
OperatorType: "EQ" | "NE" | "GTE" | "LT";
OsType: "iOS" | "Android" | "BlackBerry";
PartnerEngagement: "CLICK" | "VIEW";
PayBy: "APP_CLICK" | "ENGAGEMENT" | "FOLLOW" | "IMPRESSION" | "LINK_CLICK" | "VIEW";
PermissionLevel: "READ_ONLY" | "READ_WRITE";
PermissionScope: "OWNER" | "SHARED";
Placement: "ALL_ON_PLATFORM" | "PUBLISHER_NETWORK" | "TAP_BANNER" | "TAP_FULL" | "TAP_FULL_LANDSCAPE" | "TAP_NATIVE" | "TAP_MRECT" | "PLATFORM_PROFILE" | "PLATFORM_REPLIES" | "PLATFORM_SEARCH" | "PLATFORM_TIMELINE";
PlacementsView: {
product_type: components["schemas"]["ProductType"];
placements: components["schemas"]["Placement"][][];
};
PlatformAttributionView: {
country_code: string | null;
engagement_time: string;
engagement_type: components["schemas"]["PartnerEngagement"];
attribution_type: string;
post_id: string | null;
promoted_properties: components["schemas"]["PromotedPropertiesView"];
};
PlatformVersionView: {
name: string;
targeting_value: string;
number: string;
os_type: components["schemas"]["OsType"];
targeting_type: components["schemas"]["TargetingType"];
};
PlatformView: {
name: string;
targeting_value: string;
targeting_type: components["schemas"]["TargetingType"];
localized_name?: string;
};
PollCardType: "TEXT_POLLS" | "IMAGE_POLLS" | "VIDEO_POLLS";
PollCardView: {
id: string;
created_at: string;
updated_at: string;
deleted: boolean;
card_uri: string;
name: string;
card_id: string;
card_type: components["schemas"]["PollCardType"];
start_time: string;
end_time: string;
duration_in_minutes: string;
first_choice: string;
second_choice: string;
third_choice?: string;
fourth_choice?: string;
media_url?: string;
image_display_width?: string;
image_display_height?: string;
video_url?: string;
video_hls_url?: string | null;
video_width?: string;
video_height?: string;
content_duration_seconds?: string;
video_poster_url?: string | null;
video_poster_width?: string;
video_poster_height?: string;
};
PostMode: "compat" | "extended";
PostPreviewView: {
post_id: string;
preview: string;
};
PostSortKey: "created_at-asc" | "created_at-desc" | "updated_at-asc" | "updated_at-desc";
PostType: "DRAFT" | "PUBLISHED" | "SCHEDULED";
PostView: {
created_at: string;
id: number;
id_str: string;
name: string | null;
truncated: boolean;
entities: components["schemas"]["EntitiesView"];
source: string;
in_reply_to_status_id: number | null;
in_reply_to_status_id_str: string | null;
in_reply_to_user_id: number | null;
in_reply_to_user_id_str: string | null;
in_reply_to_screen_name: string | null;
user: components["schemas"]["AuthorView"];
geo: {
[key: string]: unknown;
} | null;
coordinates: {
[key: string]: unknown;
} | null;
place: {
[key: string]: unknown;
} | null;
contributors: number[] | null;
retweet_count: number;
favorite_count: number;
favorited: boolean;
retweeted: boolean;
scopes: components["schemas"]["ScopesView"];
lang: string;
card_uri?: string;
dynamic_product_ad?: boolean;
deleted: boolean;
full_text: string;
display_text_range: number[];
conversation_settings: components["schemas"]["ConversationSettings"];
nullcast: boolean;
post_type: components["schemas"]["PostType"];
scheduled_at: string | null;
scheduled_status: components["schemas"]["ScheduledStatus"] | null;
post_id: string;
reposted_post_id?: string;
};
PrerollCallToActionSortKey: "created_at-asc" | "created_at-desc" | "updated_at-asc" | "updated_at-desc" | "deleted-asc" | "deleted-desc";
PrerollCallToActionView: {
id: string;
created_at: string;
updated_at: string;
deleted: boolean;
line_item_id: string;
call_to_action_url: string;
call_to_action: components["schemas"]["CallToAction"];
};
PrivacyPolicyView: {
url: string;
company_name: string;
};
ProcessedConversionsView: {
conversions_processed: number;
debug_id: string;
};
ProcessingErrorView: {
code: number;
name: string;
message: string;
};
ProcessingInfoView: {
state: components["schemas"]["ProcessingState"];
check_after_secs?: number;
progress_percent?: number;
error?: components["schemas"]["ProcessingErrorView"];
};
ProcessingState: "failed" | "in_progress" | "pending" | "succeeded";
ProductAgeGroup: "adult" | "all ages" | "teen" | "kids" | "toddler" | "infant" | "newborn";
ProductAvailability: "in stock" | "available for order" | "preorder" | "out of stock" | "discontinued";
ProductCatalogView: {
id: string;
name: string;
};
ProductCondition: "new" | "used" | "refurbished";
ProductCreativeType: "CAROUSEL" | "COLLECTION" | "SINGLE";
ProductFilterAttribute: "price" | "product_type" | "google_product_category" | "sale_price" | "inventory" | "custom_label_0" | "custom_label_1" | "custom_label_2" | "custom_label_3" | "custom_label_4";
ProductFilterOperator: "GREATER_THAN" | "EQUAL_TO" | "LESS_THAN" | "MATCH" | "CONTAINS" | "NOT_CONTAINS";
ProductFilterView: {
attribute: components["schemas"]["ProductFilterAttribute"];
operator: components["schemas"]["ProductFilterOperator"];
value: string;
};
ProductGender: "female" | "male" | "unisex";
ProductProblemView: {
code: string;
message: string;
parameter: string | null;
};
ProductResultView: {
id: string | null;
product_key: string | null;
status: components["schemas"]["ProductStatus"];
errors: components["schemas"]["ProductProblemView"][];
warnings: string[];
};
ProductResultsView: {
products_response: components["schemas"]["ProductResultView"][];
};
ProductSetProcessing: "DONE" | "PROCESSING" | "FAILED";
ProductSetType: "MANUAL" | "FILTERED";
ProductSetView: {
id: string;
name: string;
description: string | null;
type: components["schemas"]["ProductSetType"];
filters: components["schemas"]["ProductFilterView"][];
product_ids: string[] | null;
processing_status: components["schemas"]["ProductSetProcessing"];
};
ProductStatus: "CREATE_SUCCESS" | "UPDATE_SUCCESS" | "ERROR" | "NO_CHANGE";
ProductType: "MEDIA" | "PROMOTED_ACCOUNT" | "PROMOTED_POSTS";
ProductView: {
product_key: string;
id: string;
title: string;
description: string;
availability: string;
condition: string;
price: string;
link: string;
image_link: string;
brand: string | null;
gtin: string | null;
mpn: string | null;
mobile_link: string | null;
additional_image_link: string | null;
google_product_category: string | null;
product_type: string | null;
inventory: number | null;
sale_price: string | null;
sale_price_effective_date: string | null;
item_group_id: string | null;
item_group_key: string | null;
gender: string | null;
color: string | null;
size: string | null;
age_group: string | null;
custom_label_0: string | null;
custom_label_1: string | null;
custom_label_2: string | null;
custom_label_3: string | null;
custom_label_4: string | null;
};
PromotableUserSortKey: "created_at-asc" | "created_at-desc" | "updated_at-asc" | "updated_at-desc" | "deleted-asc" | "deleted-desc";
PromotableUserType: "FULL" | "RETWEETS_ONLY";
PromotableUserView: {
id: string;
created_at: string;
updated_at: string;
deleted: boolean;
user_id: string;
promotable_user_type: components["schemas"]["PromotableUserType"];
};
PromotedAccountSortKey: "created_at-asc" | "created_at-desc" | "updated_at-asc" | "updated_at-desc" | "deleted-asc" | "deleted-desc" | "paused-asc" | "paused-desc";
PromotedAccountView: {
id: string;
created_at: string;
updated_at: string;
deleted: boolean;
line_item_id: string;
user_id: string;
entity_status: components["schemas"]["EntityStatus"];
approval_status: components["schemas"]["ApprovalStatus"];
};
PromotedPostSortKey: "created_at-asc" | "created_at-desc" | "updated_at-asc" | "updated_at-desc" | "deleted-asc" | "deleted-desc" | "paused-asc" | "paused-desc";
PromotedPostView: {
id: string;
created_at: string;
updated_at: string;
deleted: boolean;
line_item_id: string;
entity_status: components["schemas"]["EntityStatus"];
approval_status: components["schemas"]["ApprovalStatus"];
post_id: string;
};
PromotedPropertiesView: {
account_id: string;
campaign_id: string;
campaign_name: string | null;
line_item_id: string;
line_item_objective: components["schemas"]["Objective"];
publisher_app_id: string | null;
};
ProviderConfigurationSortKey: "created_at-asc" | "created_at-desc" | "updated_at-asc" | "updated_at-desc" | "deleted-asc" | "deleted-desc";
ProviderConfigurationView: {
id: string;
created_at: string;
updated_at: string;
deleted: boolean;
provider_name: string;
provider_advertiser_id: string;
provider_advertiser_identifier: string;
};
PublisherSortKey: "created_at-asc" | "created_at-desc" | "updated_at-asc" | "updated_at-desc" | "deleted-asc" | "deleted-desc";
PublisherView: {
monetizable_country_codes: string[];
promotion_eligible_country_codes: string[];
username: string;
user_id: string;
monetization_restricted: boolean;
content_category_ids: string[];
};
PutProducts: {
user_id?: string;
products: components["schemas"]["SentProduct"][];
};
QueryableFeature: "REACH_AND_FREQUENCY_ANALYTICS" | "REACH_FREQUENCY_CAP" | "WEBSITE_CLICKS_CPM_BILLING";
ReachView: {
id: string;
total_audience_reach: number;
average_frequency: number;
};
ReasonNotAbleToFund: "BUDGET_EXHAUSTED" | "DELETED" | "EXPIRED" | "PAUSED" | "STARTS_IN_FUTURE";
ReasonNotServable: "PAUSED_BY_ADVERTISER" | "INCOMPLETE" | "ACCOUNT_UNDER_REVIEW" | "ACCOUNT_REJECTED" | "STARTS_IN_FUTURE" | "BUDGET_EXHAUSTED" | "FUNDING_PROBLEM" | "EXPIRED" | "DELETED";
ReasonNotTargetable: "PROCESSING" | "TOO_SMALL";
ReceivedConversionView: {
id: string;
account_id: string;
received_at: string;
conversion_time: string;
web_event_tag_id: string | null;
event_name: string | null;
conversion_id: string | null;
value_micro: number | null;
price_currency: string | null;
number_items: number | null;
identifiers: components["schemas"]["ConversionIdentifier"][];
state: components["schemas"]["ConversionState"];
matched_by: string | null;
line_item_id: string | null;
engagement_type: components["schemas"]["AttributedEngagement"] | null;
engagement_time: string | null;
window_days: number | null;
duplicates: number;
last_duplicate_at: string | null;
};
RecordedBodyView: {
bytes: number | null;
content_type: string | null;
text: string | null;
truncated: boolean;
};
RecordedSignatureView: {
base_string: string | null;
reason: string | null;
verdict: components["schemas"]["SignatureVerdict"];
};
RejectedRowView: {
row: number;
id: string | null;
errors: components["schemas"]["ProductProblemView"][];
};
RemoveSubtitles: {
id: string;
media_category: components["schemas"]["SubtitledCategory"];
language_code: string;
};
RemoveSubtitlesV1: {
media_id: string;
media_category: components["schemas"]["SubtitledCategory"];
subtitle_info: components["schemas"]["LanguagesInfoV1"];
};
RemovedSubtitlesView: {
deleted: boolean;
};
RenamePostForm: {
name?: string;
};
RepeatCommandsView: {
curl: string;
fixture: string;
cli: string;
node: string;
python: string;
};
RequestCountView: {
count: number;
};
RequestDeliveryView: {
attempt_count: number;
last_status: number | null;
state: components["schemas"]["WebhookDeliveryState"];
webhook_id: string;
};
RequestEventView: {
deliveries: components["schemas"]["RequestDeliveryView"][];
event_id: string;
kind: string;
};
ResetAccountStateForm: {
account_ids?: string[];
to?: components["schemas"]["ResetState"];
};
ResetState: "DEMO" | "EMPTY";
ResetView: {
account_ids: string[];
to: components["schemas"]["ResetState"];
};
SaveSnapshotForm: {
account_ids?: string[];
};
ScheduledFeedView: {
id: string;
product_catalog_id: string;
feed_url: string;
feed_format: components["schemas"]["FeedFormat"];
frequency: components["schemas"]["FeedFrequency"];
repeat: string | null;
start_time: string;
time_zone: string;
created_at: string;
updated_at: string;
};
ScheduledPostSortKey: "created_at-asc" | "created_at-desc" | "updated_at-asc" | "updated_at-desc" | "deleted-asc" | "deleted-desc" | "name-asc" | "name-desc" | "scheduled_at-asc" | "scheduled_at-desc";
ScheduledPostView: {
id: string;
created_at: string;
updated_at: string;
deleted: boolean;
name: string | null;
completed_at: string | null;
text: string;
user_id: string;
scheduled_status: components["schemas"]["ScheduledStatus"];
nullcast: boolean;
scheduled_at: string;
card_uri: string | null;
post_id: string | null;
media_keys: string[];
failure_reason: string | null;
};
ScheduledPromotedPostSortKey: "created_at-asc" | "created_at-desc" | "updated_at-asc" | "updated_at-desc" | "deleted-asc" | "deleted-desc";
ScheduledPromotedPostView: {
id: string;
created_at: string;
updated_at: string;
deleted: boolean;
line_item_id: string;
scheduled_post_id: string;
post_id: string | null;
failure_reason: string | null;
};
ScheduledStatus: "SCHEDULED" | "SUCCESS" | "FAILED" | "DELETED";
ScopesView: {
followers: boolean;
};
SegmentStatisticsView: {
segment: {
[key: string]: unknown;
} | components["schemas"]["StatisticsSegmentView"] | null;
metrics: {
[key: string]: unknown;
};
};
SegmentView: {
boolean_operator?: components["schemas"]["BooleanOperator"];
custom_audience_id?: string;
frequency?: number;
frequency_comparator?: components["schemas"]["FrequencyComparator"];
lookback_window?: number;
negate?: boolean;
child_segments?: components["schemas"]["SegmentView"][];
};
SegmentationType: "AGE" | "APP_STORE_CATEGORY" | "AUDIENCES" | "CITIES" | "CONVERSATIONS" | "CONVERSION_TAGS" | "DEVICES" | "EVENTS" | "GENDER" | "INTERESTS" | "KEYWORDS" | "LANGUAGES" | "LOCATIONS" | "METROS" | "PLATFORMS" | "PLATFORM_VERSIONS" | "POSTAL_CODES" | "REGIONS" | "SIMILAR_TO_FOLLOWERS_OF_USER" | "TV_SHOWS";
SendConversions: {
conversions: components["schemas"]["SentConversion"][];
};
SendPartnerEventForm: {
app_id: string;
conversion_type: components["schemas"]["AppConversionType"];
os_type: components["schemas"]["AppEventOsType"];
conversion_time: string;
hashed_device_id: string;
/** @enum {integer} */
click_window?: 1 | 7 | 14 | 30;
/** @enum {integer} */
view_through_window?: 0 | 1 | 7 | 14 | 30;
extra_device_ids?: string[];
device_ip_address?: string;
level?: number;
non_platform_engagement_time?: string;
non_platform_engagement_type?: components["schemas"]["PartnerEngagement"];
number_items?: number;
price_currency?: string;
price_micro?: number;
user_payment_info?: boolean;
};
SentConversion: {
conversion_time?: string;
conversion_timestamp?: number;
event_id: string;
identifiers: components["schemas"]["ConversionIdentifiers"][];
value?: number | string;
price_currency?: string;
number_items?: number;
conversion_id?: string;
description?: string;
event_source_url?: string;
contents?: components["schemas"]["ConversionContent"][];
};
SentConversionView: {
id: string;
account_id: string;
received_at: string;
conversion_time: string;
web_event_tag_id: string | null;
event_name: string | null;
conversion_id: string | null;
value_micro: number | null;
price_currency: string | null;
number_items: number | null;
identifiers: components["schemas"]["ConversionIdentifier"][];
state: components["schemas"]["ConversionState"];
matched_by: string | null;
line_item_id: string | null;
engagement_type: components["schemas"]["AttributedEngagement"] | null;
engagement_time: string | null;
window_days: number | null;
duplicates: number;
last_duplicate_at: string | null;
is_duplicate: boolean;
};
SentFilter: {
attribute: components["schemas"]["ProductFilterAttribute"];
operator: components["schemas"]["ProductFilterOperator"];
value: string;
};
SentProduct: {
id: string;
title: string;
description: string;
availability: components["schemas"]["ProductAvailability"];
condition: components["schemas"]["ProductCondition"];
price: string;
link: string;
image_link: string;
brand?: string | null;
gtin?: string | null;
mpn?: string | null;
mobile_link?: string | null;
additional_image_link?: string[] | null;
google_product_category?: string | null;
product_type?: string | null;
inventory?: number | null;
sale_price?: string | null;
sale_price_effective_date?: string | null;
item_group_id?: string | null;
item_group_key?: string | null;
gender?: components["schemas"]["ProductGender"] | null;
color?: string | null;
size?: string | null;
age_group?: components["schemas"]["ProductAgeGroup"] | null;
custom_label_0?: string | null;
custom_label_1?: string | null;
custom_label_2?: string | null;
custom_label_3?: string | null;
custom_label_4?: string | null;
};
SettableStatus: "ACTIVE" | "PAUSED";
SignatureVerdict: "VALID" | "INVALID" | "REPLAYED";
SnapshotDeletedView: {
deleted: boolean;
};
SnapshotView: {
account_ids: string[];
bytes: number;
created_at: string;
id: string;
name: string;
rows: number;
updated_at: string;
};
StatisticsEntity: "ACCOUNT" | "CAMPAIGN" | "FUNDING_INSTRUMENT" | "LINE_ITEM" | "MEDIA_CREATIVE" | "ORGANIC_POST" | "PROMOTED_ACCOUNT" | "PROMOTED_POST";
StatisticsGranularity: "HOUR" | "DAY" | "TOTAL";
StatisticsJobStatus: "PROCESSING" | "SUCCESS" | "FAILED" | "CANCELLED";
StatisticsJobView: {
id: number;
id_str: string;
account_id: string;
status: components["schemas"]["StatisticsJobStatus"];
url: string | null;
expires_at: string | null;
created_at: string;
updated_at: string;
entity: components["schemas"]["StatisticsEntity"];
entity_ids: string[];
start_time: string;
end_time: string;
granularity: components["schemas"]["StatisticsGranularity"];
placement: components["schemas"]["StatisticsPlacement"];
metric_groups: components["schemas"]["MetricGroup"][];
segmentation_type: components["schemas"]["SegmentationType"] | null;
country: string | null;
platform: string | null;
};
StatisticsPlacement: "ALL_ON_PLATFORM" | "PUBLISHER_NETWORK" | "SPOTLIGHT" | "TREND";
StatisticsSegmentView: {
segment_name: string | null;
segment_value: string | null;
};
StatisticsView: {
id: string;
id_data: components["schemas"]["SegmentStatisticsView"][];
};
SubmitLeadForm: {
account_id: string;
lead_form_id: string;
field_values?: string;
line_item_id?: string;
time?: string;
};
SubscribedEmailType: "ACCOUNT_PERFORMANCE" | "PERFORMANCE_IMPROVEMENT";
SubtitleInfoV1: {
subtitles: components["schemas"]["SubtitlesV1"][];
};
SubtitledCategory: "AmplifyVideo" | "PostVideo";
SubtitledMediaView: {
id: string;
media_category: components["schemas"]["SubtitledCategory"];
associated_subtitles: components["schemas"]["SubtitlesView"][];
};
Subtitles: {
id: string;
language_code: string;
display_name: string;
};
SubtitlesV1: {
media_id: string;
language_code: string;
display_name: string;
};
SubtitlesView: {
id: string;
language_code: string;
display_name: string;
};
SuggestionType: "KEYWORD" | "USER_ID";
SwipeableMediaComponentView: {
/** @constant */
type: "SWIPEABLE_MEDIA";
media_keys: string[];
readonly media_metadata?: {
[key: string]: components["schemas"]["MediaMetadataView"];
};
};
TagView: {
text: string;
indices: number[];
};
TailoredAudiencePermissionView: {
tailored_audience_id: string;
permission_level: components["schemas"]["PermissionLevel"];
id: string;
created_at: string;
granted_account_id: string;
updated_at: string;
deleted: boolean;
};
TargetableType: "CRM" | "EXCLUDED_CRM" | "FLEXIBLE" | "EXCLUDED_FLEXIBLE" | "WEB" | "EXCLUDED_WEB";
TargetedByView: {
campaign_id: string;
campaign_name: string;
line_items: components["schemas"]["TargetingLineItemView"][];
};
TargetingCriterionSortKey: "created_at-asc" | "created_at-desc" | "updated_at-asc" | "updated_at-desc" | "deleted-asc" | "deleted-desc" | "name-asc" | "name-desc";
TargetingCriterionView: {
id: string;
created_at: string;
updated_at: string;
deleted: boolean;
line_item_id: string;
name: string;
location_type?: components["schemas"]["CriterionLocationType"];
operator_type: components["schemas"]["OperatorType"];
targeting_value: string;
targeting_type: components["schemas"]["TargetingType"];
localized_name?: string;
};
TargetingEventView: {
reach: components["schemas"]["EventReachView"];
name: string;
start_time: string;
top_users: string[];
top_posts: string[];
top_hashtags: string[];
gender_breakdown_percentage: {
[key: string]: unknown;
};
end_time: string;
country_code: string | null;
device_breakdown_percentage: {
[key: string]: unknown;
};
targeting_value: string;
is_global: boolean;
event_type: components["schemas"]["EventType"];
country_breakdown_percentage: {
[key: string]: unknown;
};
};
TargetingLanguageView: {
name: string;
targeting_value: string;
targeting_type: components["schemas"]["TargetingType"];
};
TargetingLineItemView: {
id: string;
name: string | null;
servable: boolean;
};
TargetingLocationView: {
name: string;
targeting_value: string;
country_code: string;
location_type: components["schemas"]["LocationType"];
targeting_type: components["schemas"]["TargetingType"];
};
TargetingSuggestionView: {
suggestion_type: components["schemas"]["SuggestionType"];
suggestion_value: string;
};
TargetingType: "AGE" | "APP_LIST" | "APP_STORE_CATEGORY" | "APP_STORE_CATEGORY_LOOKALIKE" | "BROAD_KEYWORD" | "CAMPAIGN_ENGAGEMENT" | "CAMPAIGN_ENGAGEMENT_LOOKALIKE" | "CONTENT_PUBLISHER_USER" | "CONVERSATION" | "CUSTOM_AUDIENCE" | "CUSTOM_AUDIENCE_EXPANDED" | "DEVICE" | "ENGAGEMENT_TYPE" | "EVENT" | "EXACT_KEYWORD" | "FOLLOWERS_OF_USER" | "GENDER" | "IAB_CATEGORY" | "INTEREST" | "LANGUAGE" | "LIVE_TV_EVENT" | "LOCATION" | "NETWORK_ACTIVATION_DURATION" | "NETWORK_OPERATOR" | "PHRASE_KEYWORD" | "PLATFORM" | "PLATFORM_VERSION" | "SIMILAR_TO_FOLLOWERS_OF_USER" | "TV_SHOW" | "UNORDERED_KEYWORD" | "USER_ENGAGEMENT" | "USER_ENGAGEMENT_LOOKALIKE" | "WIFI_ONLY";
TaxCategory: "BUSINESS_NO_VAT" | "BUSINESS_WITH_VAT" | "INDIVIDUAL";
TaxSettingsView: {
bill_to: components["schemas"]["BillTo"];
business_relationship: components["schemas"]["BusinessRelationship"] | null;
invoice_jurisdiction: components["schemas"]["InvoiceJurisdiction"];
tax_category: components["schemas"]["TaxCategory"] | null;
tax_id: string | null;
tax_exemption_id: string | null;
address_company: string | null;
address_first_name: string | null;
address_last_name: string | null;
address_street1: string | null;
address_street2: string | null;
address_city: string | null;
address_region: string | null;
address_postal_code: string | null;
address_country: string | null;
address_email: string | null;
client_address_company: string | null;
client_address_first_name: string | null;
client_address_last_name: string | null;
client_address_street1: string | null;
client_address_street2: string | null;
client_address_city: string | null;
client_address_region: string | null;
client_address_postal_code: string | null;
client_address_country: string | null;
client_address_email: string | null;
id: string | null;
created_at: string | null;
updated_at: string | null;
};
TestClockStatus: "ready" | "advancing" | "internal_failure";
TestClockView: {
account_ids: string[];
created_at: string;
failure: string | null;
frozen_time: string;
id: string;
name: string;
progress: {
[key: string]: unknown;
} | components["schemas"]["ClockProgressView"] | null;
status: components["schemas"]["TestClockStatus"];
target_time: string | null;
};
TestUserView: {
user_id: string;
username: string | null;
};
TestedEntityView: {
id: string;
account_id: string;
};
TimelineType: "ALL" | "NULLCAST" | "ORGANIC";
TimestampedMetricsView: {
timestamp: string;
metrics: components["schemas"]["MediaMetricsView"];
};
TrackingTagSortKey: "created_at-asc" | "created_at-desc" | "updated_at-asc" | "updated_at-desc" | "deleted-asc" | "deleted-desc";
TrackingTagType: "IMPRESSION_TAG" | "CLICK_TRACKER";
TrackingTagView: {
id: string;
created_at: string;
updated_at: string;
deleted: boolean;
line_item_id: string;
tracking_tag_url: string;
tracking_tag_type: components["schemas"]["TrackingTagType"];
};
TvLocaleView: {
language: string;
country: string;
};
TvMarketView: {
name: string;
country_code: string;
locale: string;
};
TvShowView: {
name: string;
targeting_value: number;
genre: string;
locales: components["schemas"]["TvLocaleView"][];
};
/** @constant */
Unset: "";
UpdateAbTest: {
name?: string | null;
description?: string | null;
start_time?: string;
end_time?: string;
entity_type?: components["schemas"]["AbTestEntityType"];
user_groups?: {
id?: string;
entity_ids?: string[];
size?: string;
name?: string | null;
description?: string | null;
}[];
};
UpdateAccountForm: {
name?: string;
industry_type?: components["schemas"]["IndustryType"];
};
UpdateAudienceOperation: {
custom_audience_id: string;
name?: string;
description?: string | null;
};
UpdateAudienceUsers: {
users: components["schemas"]["AudienceUser"][];
effective_at?: string | null;
expires_at?: string | null;
};
UpdateCampaignForm: {
daily_budget_amount_local_micro?: number | components["schemas"]["Unset"];
purchase_order_number?: string;
total_budget_amount_local_micro?: number | components["schemas"]["Unset"];
funding_instrument_id?: string;
name?: string;
budget_optimization?: components["schemas"]["BudgetOptimization"] | components["schemas"]["Unset"];
standard_delivery?: boolean | components["schemas"]["Unset"];
entity_status?: components["schemas"]["SettableStatus"];
};
UpdateCampaignOperation: {
daily_budget_amount_local_micro?: number | null;
purchase_order_number?: string | null;
total_budget_amount_local_micro?: number | null;
funding_instrument_id?: string;
name?: string;
budget_optimization?: components["schemas"]["BudgetOptimization"] | null;
standard_delivery?: boolean | null;
entity_status?: components["schemas"]["SettableStatus"];
campaign_id: string;
};
UpdateCard: {
name?: string;
components?: (components["schemas"]["MediaComponentView"] | components["schemas"]["SwipeableMediaComponentView"] | components["schemas"]["DetailsComponentView"] | components["schemas"]["ButtonComponentView"])[] | null;
slides?: (components["schemas"]["MediaComponentView"] | components["schemas"]["DetailsComponentView"])[][] | null;
};
UpdateCustomAudienceForm: {
name?: string;
description?: string;
};
UpdateDraftPostForm: {
text?: string;
card_uri?: string;
media_keys?: string[] | components["schemas"]["Unset"];
nullcast?: boolean | components["schemas"]["Unset"];
name?: string;
};
UpdateDynamicProductCard: {
url?: string;
creative_type?: components["schemas"]["ProductCreativeType"];
name?: string;
};
UpdateFaultForm: {
operation?: string;
account_id?: string;
probability?: number;
times?: number;
latency_ms?: string;
error_status?: number;
error_code?: string;
fault?: components["schemas"]["ConnectionFault"];
applied?: components["schemas"]["FaultPhase"];
rate_limit_remaining?: number;
rate_limit_reset_in?: number;
webhook_fault?: components["schemas"]["WebhookFault"];
webhook_id?: string;
event?: string;
ttl?: number;
};
UpdateImageConversationCardForm: {
title?: string;
second_cta?: string;
second_cta_post?: string;
third_cta?: string;
third_cta_post?: string;
fourth_cta?: string;
fourth_cta_post?: string;
unlocked_image_media_key?: string | components["schemas"]["Unset"];
thank_you_url?: string;
name?: string;
first_cta?: string;
first_cta_post?: string;
thank_you_text?: string;
media_key?: string;
};
UpdateLeadForm: {
name?: string;
purpose?: string;
fields?: components["schemas"]["LeadFieldView"][];
privacy_policy?: components["schemas"]["PrivacyPolicyView"];
introduction?: components["schemas"]["LeadIntroductionView"];
final_page?: components["schemas"]["FinalPageView"];
};
UpdateLineItemCuratedCategoryForm: {
curated_category_id?: string;
line_item_id?: string;
};
UpdateLineItemForm: {
name?: string;
advertiser_domain?: string;
advertiser_user_id?: string;
android_app_store_identifier?: string;
ios_app_store_identifier?: string;
audience_expansion?: components["schemas"]["AudienceExpansion"] | components["schemas"]["Unset"];
bid_amount_local_micro?: number | components["schemas"]["Unset"];
bid_strategy?: components["schemas"]["BidStrategy"] | components["schemas"]["Unset"];
categories?: string[] | components["schemas"]["Unset"];
catalog_id?: string;
daily_budget_amount_local_micro?: number | components["schemas"]["Unset"];
duration_in_days?: (1 | 7 | 30) | components["schemas"]["Unset"];
frequency_cap?: number | components["schemas"]["Unset"];
goal?: components["schemas"]["Goal"] | components["schemas"]["Unset"];
pay_by?: components["schemas"]["PayBy"] | components["schemas"]["Unset"];
product_set_id?: string;
total_budget_amount_local_micro?: number | components["schemas"]["Unset"];
campaign_id?: string;
start_time?: string;
end_time?: string | components["schemas"]["Unset"];
objective?: components["schemas"]["Objective"];
placements?: components["schemas"]["Placement"][];
product_type?: components["schemas"]["ProductType"];
primary_web_event_tag?: string;
creative_source?: components["schemas"]["CreativeSource"];
standard_delivery?: boolean | components["schemas"]["Unset"];
entity_status?: components["schemas"]["SettableStatus"];
};
UpdateLineItemOperation: {
name?: string | null;
advertiser_domain?: string | null;
advertiser_user_id?: string | null;
android_app_store_identifier?: string | null;
ios_app_store_identifier?: string | null;
audience_expansion?: components["schemas"]["AudienceExpansion"] | null;
bid_amount_local_micro?: number | null;
bid_strategy?: components["schemas"]["BidStrategy"] | null;
categories?: string[] | null;
catalog_id?: string | null;
daily_budget_amount_local_micro?: number | null;
/** @enum {integer|null} */
duration_in_days?: 1 | 7 | 30 | null;
frequency_cap?: number | null;
goal?: components["schemas"]["Goal"] | null;
pay_by?: components["schemas"]["PayBy"] | null;
product_set_id?: string | null;
total_budget_amount_local_micro?: number | null;
campaign_id?: string;
start_time?: string;
end_time?: string | null;
objective?: components["schemas"]["Objective"];
placements?: components["schemas"]["Placement"][];
product_type?: components["schemas"]["ProductType"];
primary_web_event_tag?: string | null;
creative_source?: components["schemas"]["CreativeSource"];
standard_delivery?: boolean | null;
entity_status?: components["schemas"]["SettableStatus"];
line_item_id: string;
};
UpdateMediaLibraryForm: {
description?: string;
file_name?: string;
name?: string;
poster_media_key?: string;
title?: string;
};
UpdateNamespaceForm: {
ttl: number;
};
UpdatePrerollCallToActionForm: {
line_item_id?: string;
call_to_action?: components["schemas"]["CallToAction"];
call_to_action_url?: string;
};
UpdateProductCatalogForm: {
name: string;
user_id?: string;
};
UpdateProductSet: {
user_id?: string;
name?: string;
description?: string | null;
product_keys?: string[];
};
UpdateScheduledFeedForm: {
user_id?: string;
feed_url?: string;
feed_format?: components["schemas"]["FeedFormat"];
frequency?: components["schemas"]["FeedFrequency"];
repeat?: string;
start_time?: string;
time_zone?: string;
};
UpdateScheduledPostForm: {
text?: string;
card_uri?: string;
media_keys?: string[] | components["schemas"]["Unset"];
nullcast?: boolean | components["schemas"]["Unset"];
name?: string;
scheduled_at?: string;
};
UpdateTaxSettingForm: {
address_name?: string;
address_first_name?: string;
address_last_name?: string;
address_street1?: string;
address_street2?: string;
address_city?: string;
address_region?: string;
address_postal_code?: string;
address_country?: string | components["schemas"]["Unset"];
address_email?: string;
client_address_name?: string;
client_address_first_name?: string;
client_address_last_name?: string;
client_address_street1?: string;
client_address_street2?: string;
client_address_city?: string;
client_address_region?: string;
client_address_postal_code?: string;
client_address_country?: string | components["schemas"]["Unset"];
client_address_email?: string;
bill_to?: components["schemas"]["BillTo"];
business_relationship?: components["schemas"]["BusinessRelationship"] | components["schemas"]["Unset"];
invoice_jurisdiction?: components["schemas"]["InvoiceJurisdiction"];
tax_category?: components["schemas"]["TaxCategory"] | components["schemas"]["Unset"];
tax_id?: string;
tax_exemption_id?: string;
};
UpdateTrackingTagForm: {
tracking_tag_url: string;
};
UpdateUserSettingForm: {
notification_email?: string;
contact_phone?: string;
contact_phone_extension?: string;
subscribed_email_types?: components["schemas"]["SubscribedEmailType"][] | components["schemas"]["Unset"];
subscribe_email_types?: components["schemas"]["SubscribedEmailType"][] | components["schemas"]["Unset"];
};
UpdateVideoConversationCardForm: {
title?: string;
second_cta?: string;
second_cta_post?: string;
third_cta?: string;
third_cta_post?: string;
fourth_cta?: string;
fourth_cta_post?: string;
unlocked_image_media_key?: string | components["schemas"]["Unset"];
thank_you_url?: string;
name?: string;
first_cta?: string;
first_cta_post?: string;
thank_you_text?: string;
media_key?: string;
poster_media_key?: string | components["schemas"]["Unset"];
unlocked_video_media_key?: string | components["schemas"]["Unset"];
};
UpdateWebEventTagForm: {
name?: string;
type?: components["schemas"]["WebEventType"];
/** @enum {integer} */
click_window?: 1 | 7 | 14 | 30;
/** @enum {integer} */
view_through_window?: 0 | 1 | 7 | 14 | 30;
retargeting_enabled?: boolean;
};
UploadCategory: "amplify_video" | "post_gif" | "post_image" | "post_video" | "subtitles";
UploadCommand: "APPEND" | "FINALIZE" | "INIT";
UploadCountsView: {
success_count: number;
total_count: number;
};
UploadMedia: {
command?: components["schemas"]["UploadCommand"];
media_category?: components["schemas"]["UploadCategory"];
additional_owners?: string[];
total_bytes?: number;
media_type?: string;
media_id?: string;
segment_index?: number;
media_data?: string;
};
UploadMediaV2: {
command?: components["schemas"]["UploadCommand"];
media_category?: components["schemas"]["UploadCategory"];
additional_owners?: string[];
total_bytes?: number;
media_type?: string;
media_id?: string;
segment_index?: number;
media_data?: string;
};
UploadStatusCommand: "STATUS";
UploadedImageView: {
image_type: string;
w: number;
h: number;
};
UploadedVideoView: {
video_type: string;
};
UrlView: {
url: string;
expanded_url: string;
display_url: string;
indices: number[];
};
UserGroupView: {
id: string;
name: string | null;
description: string | null;
size: string;
entity_ids: string[];
};
UserPermission: "ACCOUNT_ADMIN" | "AD_MANAGER" | "CREATIVE_MANAGER" | "CAMPAIGN_ANALYST" | "ANALYST" | "PARTNER_AUDIENCE_MANAGER" | "POST_COMPOSER";
UserSelfView: {
id: string;
name: string;
username: string;
};
UserSettingsView: {
notification_email: string | null;
contact_phone: string | null;
contact_phone_extension: string | null;
subscribed_email_types: components["schemas"]["SubscribedEmailType"][];
};
VideoConversationCardView: {
id: string;
created_at: string;
updated_at: string;
deleted: boolean;
card_uri: string;
name: string;
card_id: string;
title: string | null;
first_cta: string;
first_cta_post: string;
second_cta?: string;
second_cta_post?: string;
third_cta?: string;
third_cta_post?: string;
fourth_cta?: string;
fourth_cta_post?: string;
thank_you_text: string;
thank_you_url?: string;
media_key: string;
media_url: string;
unlocked_image_url?: string;
/** @constant */
card_type: "VIDEO_CONVERSATION";
video_width: string;
video_height: string;
video_owner_id: string | null;
poster_media_url: string | null;
poster_media_key?: string;
unlocked_video_media_key?: string;
unlocked_video_url?: string;
};
VideoCta: "VISIT_SITE" | "WATCH_NOW";
WebEventTagSortKey: "created_at-asc" | "created_at-desc" | "updated_at-asc" | "updated_at-desc" | "deleted-asc" | "deleted-desc" | "name-asc" | "name-desc";
WebEventTagStatus: "UNVERIFIED" | "TRACKING";
WebEventTagView: {
id: string;
name: string;
type: components["schemas"]["WebEventType"];
click_window: number;
view_through_window: number;
retargeting_enabled: boolean;
embed_code: string;
website_tag_id: string;
status: components["schemas"]["WebEventTagStatus"];
last_tracked_at: string | null;
deleted: boolean;
};
WebEventType: "ADDED_PAYMENT_INFO" | "ADD_TO_CART" | "ADD_TO_WISHLIST" | "CHECKOUT_INITIATED" | "CONTENT_VIEW" | "CUSTOM" | "DOWNLOAD" | "PRODUCT_CUSTOMIZATION" | "PURCHASE" | "SEARCH" | "SIGN_UP" | "SITE_VISIT" | "START_TRIAL" | "SUBSCRIBE";
WebhookDeliveryState: "PENDING" | "DELIVERED" | "FAILED" | "CANCELLED";
WebhookFault: "DELAY" | "DROP" | "DUPLICATE" | "REORDER" | "INVALID_SIGNATURE";
WebsiteDestinationView: {
/** @constant */
type: "WEBSITE";
url: string;
readonly tco_url?: string | null;
};
};
responses: never;
parameters: never;
requestBodies: never;
headers: never;
pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
addMediaSubtitlesV1: {
parameters: {
};
requestBody: {
content: {
"application/json": components["schemas"]["AddSubtitlesV1"];
};
};
responses: {
200: {
};
};
};
removeMediaSubtitlesV1: {
parameters: {
};
requestBody: {
content: {
"application/json": components["schemas"]["RemoveSubtitlesV1"];
};
};
responses: {
200: {
};
};
};
statusMediaUpload: {
parameters: {
query: {
command: components["schemas"]["UploadStatusCommand"];
media_id: string;
};
};
responses: {
200: {
content: {
"application/json": components["schemas"]["MediaUploadView"];
};
};
};
};
uploadMediaUpload: {
parameters: {
};
requestBody?: {
content: {
"multipart/form-data": components["schemas"]["UploadMedia"] & {
media?: string;
};
};
};
responses: {
200: {
content: {
"application/json": components["schemas"]["MediaUploadView"];
};
};
202: {
content: {
"application/json": components["schemas"]["MediaUploadView"];
};
};
204: {
};
};
};
invalidateOAuth1: {
parameters: {
};
responses: {
200: {
content: {
"application/json": {
access_token: string;
};
};
};
};
};
listAccounts: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["AccountSortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
account_ids?: string[];
q?: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["AccountView"][];
};
};
};
};
};
createAccount: {
parameters: {
};
responses: {
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
data: components["schemas"]["AccountView"][];
};
};
};
};
};
getAccount: {
parameters: {
query?: {
with_deleted?: boolean;
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["AccountView"];
};
};
};
};
};
updateAccount: {
parameters: {
path: {
account_id: string;
};
};
requestBody?: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["UpdateAccountForm"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["AccountView"];
};
};
};
};
};
deleteAccount: {
parameters: {
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["AccountView"];
};
};
};
};
};
listAbTests: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["AbTestSortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
ab_test_ids?: string[];
live_during?: string[];
q?: string;
status?: components["schemas"]["AbTestStatus"][];
user_id?: string;
username?: string;
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["AbTestView"][];
};
};
};
};
};
createAbTest: {
parameters: {
path: {
account_id: string;
};
};
requestBody: {
content: {
"application/json": components["schemas"]["CreateAbTest"];
};
};
responses: {
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["AbTestView"];
};
};
};
};
};
getAbTest: {
parameters: {
query?: {
with_deleted?: boolean;
};
path: {
ab_test_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["AbTestView"];
};
};
};
};
};
updateAbTest: {
parameters: {
path: {
ab_test_id: string;
account_id: string;
};
};
requestBody: {
content: {
"application/json": components["schemas"]["UpdateAbTest"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["AbTestView"];
};
};
};
};
};
deleteAbTest: {
parameters: {
path: {
ab_test_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["AbTestView"];
};
};
};
};
};
listAccountApps: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["AccountAppSortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["AccountAppView"][];
};
};
};
};
};
listAccountHistory: {
parameters: {
query: {
entity_type: components["schemas"]["HistoryEntity"];
entity_id: string;
start_time: string;
end_time: string;
user_id?: string;
count?: number;
cursor?: string | null;
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
data: components["schemas"]["AccountHistoryView"][];
};
};
};
};
};
listAccountMedia: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["AccountMediaSortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
account_media_ids?: string[];
creative_types?: components["schemas"]["CreativeType"][];
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["AccountMediaView"][];
};
};
};
};
};
getAccountMedia: {
parameters: {
query?: {
with_deleted?: boolean;
};
path: {
account_media_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["AccountMediaView"];
};
};
};
};
};
deleteAccountMedia: {
parameters: {
path: {
account_media_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["AccountMediaView"];
};
};
};
};
};
createLeadExport: {
parameters: {
path: {
account_id: string;
};
};
requestBody: {
content: {
"application/json": components["schemas"]["CreateLeadExport"];
};
};
responses: {
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["LeadExportView"];
};
};
};
};
};
getLeadExport: {
parameters: {
path: {
export_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["LeadExportView"];
};
};
};
};
};
deleteLeadExport: {
parameters: {
path: {
export_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["LeadExportView"];
};
};
};
};
};
downloadLeadExport: {
parameters: {
path: {
export_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
/** @constant */
data_type: "leads";
data: {
[key: string]: string | null;
}[];
};
};
};
};
};
listProviderConfigurations: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["ProviderConfigurationSortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
ids?: string[];
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["ProviderConfigurationView"][];
};
};
};
};
};
createProviderConfiguration: {
parameters: {
path: {
account_id: string;
};
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["CreateProviderConfigurationForm"];
};
};
responses: {
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["ProviderConfigurationView"];
};
};
};
};
};
getProviderConfiguration: {
parameters: {
query?: {
with_deleted?: boolean;
};
path: {
app_event_provider_configuration_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["ProviderConfigurationView"];
};
};
};
};
};
deleteProviderConfiguration: {
parameters: {
path: {
app_event_provider_configuration_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["ProviderConfigurationView"];
};
};
};
};
};
listAppEventTags: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["AppEventTagSortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
app_event_tag_ids?: string[];
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["AppEventTagView"][];
};
};
};
};
};
createAppEventTag: {
parameters: {
path: {
account_id: string;
};
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["CreateAppEventTagForm"];
};
};
responses: {
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["AppEventTagView"];
};
};
};
};
};
getAppEventTag: {
parameters: {
query?: {
with_deleted?: boolean;
};
path: {
app_event_tag_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["AppEventTagView"];
};
};
};
};
};
deleteAppEventTag: {
parameters: {
path: {
app_event_tag_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["AppEventTagView"];
};
};
};
};
};
listAppLists: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["AppListSortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
app_list_ids?: string[];
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["AppListItemView"][];
};
};
};
};
};
createAppList: {
parameters: {
path: {
account_id: string;
};
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["CreateAppListForm"];
};
};
responses: {
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["AppListView"];
};
};
};
};
};
getAppList: {
parameters: {
query?: {
with_deleted?: boolean;
};
path: {
app_list_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["AppListView"];
};
};
};
};
};
deleteAppList: {
parameters: {
path: {
app_list_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["AppListView"];
};
};
};
};
};
estimateAudience: {
parameters: {
path: {
account_id: string;
};
};
requestBody: {
content: {
"application/json": components["schemas"]["EstimateAudience"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["AudienceEstimateView"];
};
};
};
};
};
getAuthenticatedUserAccess: {
parameters: {
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["AuthenticatedUserAccessView"];
};
};
};
};
};
listCampaigns: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["CampaignSortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
campaign_ids?: string[];
funding_instrument_ids?: string[];
q?: string;
with_draft?: boolean;
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["CampaignView"][];
};
};
};
};
};
createCampaign: {
parameters: {
path: {
account_id: string;
};
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["CreateCampaignForm"];
};
};
responses: {
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["CampaignView"];
};
};
};
};
};
getCampaign: {
parameters: {
query?: {
with_deleted?: boolean;
};
path: {
campaign_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["CampaignView"];
};
};
};
};
};
updateCampaign: {
parameters: {
path: {
campaign_id: string;
account_id: string;
};
};
requestBody?: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["UpdateCampaignForm"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["CampaignView"];
};
};
};
};
};
deleteCampaign: {
parameters: {
path: {
campaign_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["CampaignView"];
};
};
};
};
};
activateCampaign: {
parameters: {
path: {
campaign_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["CampaignView"];
};
};
};
};
};
listCards: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["CardSortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
card_types?: components["schemas"]["CardType"][];
card_id?: string[];
card_uris?: string[];
include_legacy_cards?: boolean;
q?: string;
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: (components["schemas"]["CardView"] | components["schemas"]["ImageConversationCardView"] | components["schemas"]["VideoConversationCardView"] | components["schemas"]["PollCardView"] | components["schemas"]["DynamicProductCardView"])[];
};
};
};
};
};
createCard: {
parameters: {
path: {
account_id: string;
};
};
requestBody: {
content: {
"application/json": components["schemas"]["CreateCard"];
};
};
responses: {
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["CardView"];
};
};
};
};
};
listAllCards: {
parameters: {
query: {
card_uris: string[];
with_deleted?: boolean;
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: (components["schemas"]["CardView"] | components["schemas"]["ImageConversationCardView"] | components["schemas"]["VideoConversationCardView"] | components["schemas"]["PollCardView"] | components["schemas"]["DynamicProductCardView"])[];
};
};
};
};
};
getAnyCard: {
parameters: {
query?: {
with_deleted?: boolean;
};
path: {
card_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["CardView"] | components["schemas"]["ImageConversationCardView"] | components["schemas"]["VideoConversationCardView"] | components["schemas"]["PollCardView"] | components["schemas"]["DynamicProductCardView"];
};
};
};
};
};
listImageConversationCards: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["CardSortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
card_ids?: string[];
q?: string;
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["ImageConversationCardView"][];
};
};
};
};
};
createImageConversationCard: {
parameters: {
path: {
account_id: string;
};
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["CreateImageConversationCardForm"];
};
};
responses: {
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["ImageConversationCardView"];
};
};
};
};
};
getImageConversationCard: {
parameters: {
query?: {
with_deleted?: boolean;
};
path: {
card_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["ImageConversationCardView"];
};
};
};
};
};
updateImageConversationCard: {
parameters: {
path: {
card_id: string;
account_id: string;
};
};
requestBody?: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["UpdateImageConversationCardForm"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["ImageConversationCardView"];
};
};
};
};
};
deleteImageConversationCard: {
parameters: {
path: {
card_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["ImageConversationCardView"];
};
};
};
};
};
listPollCards: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["CardSortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
card_ids?: string[];
q?: string;
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["PollCardView"][];
};
};
};
};
};
createPollCard: {
parameters: {
path: {
account_id: string;
};
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["CreatePollCardForm"];
};
};
responses: {
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["PollCardView"];
};
};
};
};
};
getPollCard: {
parameters: {
query?: {
with_deleted?: boolean;
};
path: {
card_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["PollCardView"];
};
};
};
};
};
deletePollCard: {
parameters: {
path: {
card_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["PollCardView"];
};
};
};
};
};
listVideoConversationCards: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["CardSortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
card_ids?: string[];
q?: string;
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["VideoConversationCardView"][];
};
};
};
};
};
createVideoConversationCard: {
parameters: {
path: {
account_id: string;
};
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["CreateVideoConversationCardForm"];
};
};
responses: {
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["VideoConversationCardView"];
};
};
};
};
};
getVideoConversationCard: {
parameters: {
query?: {
with_deleted?: boolean;
};
path: {
card_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["VideoConversationCardView"];
};
};
};
};
};
updateVideoConversationCard: {
parameters: {
path: {
card_id: string;
account_id: string;
};
};
requestBody?: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["UpdateVideoConversationCardForm"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["VideoConversationCardView"];
};
};
};
};
};
deleteVideoConversationCard: {
parameters: {
path: {
card_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["VideoConversationCardView"];
};
};
};
};
};
getCard: {
parameters: {
query?: {
with_deleted?: boolean;
};
path: {
card_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["CardView"];
};
};
};
};
};
updateCard: {
parameters: {
path: {
card_id: string;
account_id: string;
};
};
requestBody: {
content: {
"application/json": components["schemas"]["UpdateCard"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["CardView"];
};
};
};
};
};
deleteCard: {
parameters: {
path: {
card_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["CardView"];
};
};
};
};
};
listCuratedCategories: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["CuratedCategorySortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
country_codes?: string[];
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["CuratedCategoryView"][];
};
};
};
};
};
getCuratedCategory: {
parameters: {
query?: {
with_deleted?: boolean;
};
path: {
curated_category_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["CuratedCategoryView"];
};
};
};
};
};
listCustomAudiences: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["CustomAudienceSortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
permission_scope?: components["schemas"]["PermissionScope"];
q?: string;
custom_audience_ids?: string[];
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["CustomAudienceView"][];
};
};
};
};
};
createCustomAudience: {
parameters: {
path: {
account_id: string;
};
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["CreateCustomAudienceForm"];
};
};
responses: {
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["CustomAudienceView"];
};
};
};
};
};
getCustomAudience: {
parameters: {
query?: {
with_deleted?: boolean;
};
path: {
custom_audience_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["CustomAudienceView"];
};
};
};
};
};
updateCustomAudience: {
parameters: {
path: {
custom_audience_id: string;
account_id: string;
};
};
requestBody?: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["UpdateCustomAudienceForm"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["CustomAudienceView"];
};
};
};
};
};
deleteCustomAudience: {
parameters: {
path: {
custom_audience_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["CustomAudienceView"];
};
};
};
};
};
diagnoseAudienceUser: {
parameters: {
path: {
custom_audience_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["AudienceDiagnosticsView"];
};
};
};
};
};
listCustomAudiencePermissions: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["AudiencePermissionSortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
granted_account_ids?: string[];
custom_audience_permission_ids?: string[];
};
path: {
custom_audience_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["CustomAudiencePermissionView"][];
};
};
};
};
};
createCustomAudiencePermission: {
parameters: {
path: {
custom_audience_id: string;
account_id: string;
};
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["CreateCustomAudiencePermissionForm"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["CustomAudiencePermissionView"];
};
};
};
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["CustomAudiencePermissionView"];
};
};
};
};
};
deleteCustomAudiencePermission: {
parameters: {
path: {
custom_audience_id: string;
custom_audience_permission_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["CustomAudiencePermissionView"];
};
};
};
};
};
listTargetedBy: {
parameters: {
query?: {
with_active?: boolean;
cursor?: string | null;
};
path: {
custom_audience_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
data: components["schemas"]["TargetedByView"][];
};
};
};
};
};
uploadAudienceUser: {
parameters: {
path: {
custom_audience_id: string;
account_id: string;
};
};
requestBody: {
content: {
"application/json": ({
/** @constant */
operation_type: "Update";
params: components["schemas"]["UpdateAudienceUsers"];
} | {
/** @constant */
operation_type: "Delete";
params: components["schemas"]["DeleteAudienceUsers"];
})[];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["UploadCountsView"];
};
};
};
};
};
listDoNotReachLists: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["DoNotReachListSortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["DoNotReachListView"][];
};
};
};
};
};
createDoNotReachList: {
parameters: {
path: {
account_id: string;
};
};
requestBody?: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["CreateDoNotReachListForm"];
};
};
responses: {
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["DoNotReachListView"];
};
};
};
};
};
deleteDoNotReachList: {
parameters: {
path: {
do_not_reach_list_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["DoNotReachListView"];
};
};
};
};
};
listDraftPosts: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["DraftPostSortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
user_id?: string;
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["DraftPostView"][];
};
};
};
};
};
createDraftPost: {
parameters: {
path: {
account_id: string;
};
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["CreateDraftPostForm"];
};
};
responses: {
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["DraftPostView"];
};
};
};
};
};
previewDraftPost: {
parameters: {
path: {
draft_post_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
message: string;
};
};
};
};
};
getDraftPost: {
parameters: {
query?: {
with_deleted?: boolean;
};
path: {
draft_post_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["DraftPostView"];
};
};
};
};
};
updateDraftPost: {
parameters: {
path: {
draft_post_id: string;
account_id: string;
};
};
requestBody?: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["UpdateDraftPostForm"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["DraftPostView"];
};
};
};
};
};
deleteDraftPost: {
parameters: {
path: {
draft_post_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["DraftPostView"];
};
};
};
};
};
listDynamicProductCards: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["CardSortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
card_ids?: string[];
q?: string;
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["DynamicProductCardView"][];
};
};
};
};
};
createDynamicProductCard: {
parameters: {
path: {
account_id: string;
};
};
requestBody: {
content: {
"application/json": components["schemas"]["CreateDynamicProductCard"];
};
};
responses: {
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["DynamicProductCardView"];
};
};
};
};
};
getDynamicProductCard: {
parameters: {
query?: {
with_deleted?: boolean;
};
path: {
card_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["DynamicProductCardView"];
};
};
};
};
};
updateDynamicProductCard: {
parameters: {
path: {
card_id: string;
account_id: string;
};
};
requestBody: {
content: {
"application/json": components["schemas"]["UpdateDynamicProductCard"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["DynamicProductCardView"];
};
};
};
};
};
deleteDynamicProductCard: {
parameters: {
path: {
card_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["DynamicProductCardView"];
};
};
};
};
};
listFeatures: {
parameters: {
query?: {
feature_keys?: components["schemas"]["QueryableFeature"][];
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["Feature"][];
};
};
};
};
};
addFeatures: {
parameters: {
path: {
account_id: string;
};
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["AddFeaturesForm"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["Feature"][];
};
};
};
};
};
removeFeatures: {
parameters: {
query: {
feature_keys: components["schemas"]["Feature"][];
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["Feature"][];
};
};
};
};
};
listFundingInstruments: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["FundingInstrumentSortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
funding_instrument_ids?: string[];
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["FundingInstrumentView"][];
};
};
};
};
};
createFundingInstrument: {
parameters: {
path: {
account_id: string;
};
};
requestBody: {
content: {
/**
* @example {
*       "currency": "USD",
*       "start_time": "2026-10-01T00:00:00Z",
*       "type": "CREDIT_LINE",
*       "credit_limit_local_micro": 25000000000
*     }
*/
"application/x-www-form-urlencoded": components["schemas"]["CreateFundingInstrumentForm"];
};
};
responses: {
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["FundingInstrumentView"];
};
};
};
};
};
getFundingInstrument: {
parameters: {
query?: {
with_deleted?: boolean;
};
path: {
funding_instrument_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["FundingInstrumentView"];
};
};
};
};
};
deleteFundingInstrument: {
parameters: {
path: {
funding_instrument_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["FundingInstrumentView"];
};
};
};
};
};
listLeadForms: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["LeadFormSortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["LeadFormView"][];
};
};
};
};
};
createLeadForm: {
parameters: {
path: {
account_id: string;
};
};
requestBody: {
content: {
"application/json": components["schemas"]["CreateLeadForm"];
};
};
responses: {
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["LeadFormView"];
};
};
};
};
};
getLeadForm: {
parameters: {
query?: {
with_deleted?: boolean;
};
path: {
lead_form_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["LeadFormView"];
};
};
};
};
};
updateLeadForm: {
parameters: {
path: {
lead_form_id: string;
account_id: string;
};
};
requestBody: {
content: {
"application/json": components["schemas"]["UpdateLeadForm"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["LeadFormView"];
};
};
};
};
};
deleteLeadForm: {
parameters: {
path: {
lead_form_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["LeadFormView"];
};
};
};
};
};
listLineItemApps: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["LineItemAppSortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
line_item_ids?: string[];
line_item_app_ids?: string[];
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["LineItemAppView"][];
};
};
};
};
};
createLineItemApp: {
parameters: {
path: {
account_id: string;
};
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["CreateLineItemAppForm"];
};
};
responses: {
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["LineItemAppView"];
};
};
};
};
};
getLineItemApp: {
parameters: {
query?: {
with_deleted?: boolean;
};
path: {
line_item_app_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["LineItemAppView"];
};
};
};
};
};
deleteLineItemApp: {
parameters: {
path: {
line_item_app_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["LineItemAppView"];
};
};
};
};
};
listLineItemCuratedCategories: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["LineItemCuratedCategorySortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
line_item_ids?: string[];
line_item_curated_category_ids?: string[];
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["LineItemCuratedCategoryView"][];
};
};
};
};
};
createLineItemCuratedCategory: {
parameters: {
path: {
account_id: string;
};
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["CreateLineItemCuratedCategoryForm"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["LineItemCuratedCategoryView"];
};
};
};
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["LineItemCuratedCategoryView"];
};
};
};
};
};
getLineItemCuratedCategory: {
parameters: {
query?: {
with_deleted?: boolean;
};
path: {
line_item_curated_category_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["LineItemCuratedCategoryView"];
};
};
};
};
};
updateLineItemCuratedCategory: {
parameters: {
path: {
line_item_curated_category_id: string;
account_id: string;
};
};
requestBody?: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["UpdateLineItemCuratedCategoryForm"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["LineItemCuratedCategoryView"];
};
};
};
};
};
deleteLineItemCuratedCategory: {
parameters: {
path: {
line_item_curated_category_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["LineItemCuratedCategoryView"];
};
};
};
};
};
listLineItems: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["LineItemSortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
campaign_ids?: string[];
funding_instrument_ids?: string[];
line_item_ids?: string[];
q?: string;
with_draft?: boolean;
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["LineItemView"][];
};
};
};
};
};
createLineItem: {
parameters: {
path: {
account_id: string;
};
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["CreateLineItemForm"];
};
};
responses: {
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["LineItemView"];
};
};
};
};
};
getLineItem: {
parameters: {
query?: {
with_deleted?: boolean;
};
path: {
line_item_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["LineItemView"];
};
};
};
};
};
updateLineItem: {
parameters: {
path: {
line_item_id: string;
account_id: string;
};
};
requestBody?: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["UpdateLineItemForm"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["LineItemView"];
};
};
};
};
};
deleteLineItem: {
parameters: {
path: {
line_item_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["LineItemView"];
};
};
};
};
};
activateLineItem: {
parameters: {
path: {
line_item_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["LineItemView"];
};
};
};
};
};
listMediaCreatives: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["MediaCreativeSortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
campaign_id?: string;
line_item_ids?: string[];
media_creative_ids?: string[];
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["MediaCreativeView"][];
};
};
};
};
};
createMediaCreative: {
parameters: {
path: {
account_id: string;
};
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["CreateMediaCreativeForm"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["MediaCreativeView"];
};
};
};
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["MediaCreativeView"];
};
};
};
};
};
getMediaCreative: {
parameters: {
query?: {
with_deleted?: boolean;
};
path: {
media_creative_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["MediaCreativeView"];
};
};
};
};
};
deleteMediaCreative: {
parameters: {
path: {
media_creative_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["MediaCreativeView"];
};
};
};
};
};
listMediaLibrary: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["LibraryMediaSortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
media_type?: components["schemas"]["MediaType"];
q?: string;
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["LibraryMediaView"][];
};
};
};
};
};
addMediaLibrary: {
parameters: {
path: {
account_id: string;
};
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["AddMediaLibraryForm"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["LibraryMediaView"];
};
};
};
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["LibraryMediaView"];
};
};
};
};
};
getMediaLibrary: {
parameters: {
query?: {
with_deleted?: boolean;
};
path: {
media_key: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["LibraryMediaView"];
};
};
};
};
};
updateMediaLibrary: {
parameters: {
path: {
media_key: string;
account_id: string;
};
};
requestBody?: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["UpdateMediaLibraryForm"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["LibraryMediaView"];
};
};
};
};
};
deleteMediaLibrary: {
parameters: {
path: {
media_key: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["LibraryMediaView"];
};
};
};
};
};
createPost: {
parameters: {
path: {
account_id: string;
};
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["CreatePostForm"];
};
};
responses: {
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["CreatedPostView"];
};
};
};
};
};
listPostPreviews: {
parameters: {
query: {
post_ids: string[];
post_type: components["schemas"]["PostType"];
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["PostPreviewView"][];
};
};
};
};
};
listPosts: {
parameters: {
query: {
post_type: components["schemas"]["PostType"];
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["PostSortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
include_mentions_and_replies?: boolean;
name?: string;
timeline_type?: components["schemas"]["TimelineType"];
trim_user?: boolean;
post_ids?: string[];
user_id?: string;
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["PostView"][];
};
};
};
};
};
renamePost: {
parameters: {
path: {
post_id: string;
account_id: string;
};
};
requestBody?: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["RenamePostForm"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["PostView"];
};
};
};
};
};
listPrerollCallToActions: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["PrerollCallToActionSortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
line_item_ids?: string[];
preroll_call_to_action_ids?: string[];
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["PrerollCallToActionView"][];
};
};
};
};
};
createPrerollCallToAction: {
parameters: {
path: {
account_id: string;
};
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["CreatePrerollCallToActionForm"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["PrerollCallToActionView"];
};
};
};
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["PrerollCallToActionView"];
};
};
};
};
};
getPrerollCallToAction: {
parameters: {
query?: {
with_deleted?: boolean;
};
path: {
preroll_call_to_action_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["PrerollCallToActionView"];
};
};
};
};
};
updatePrerollCallToAction: {
parameters: {
path: {
preroll_call_to_action_id: string;
account_id: string;
};
};
requestBody?: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["UpdatePrerollCallToActionForm"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["PrerollCallToActionView"];
};
};
};
};
};
deletePrerollCallToAction: {
parameters: {
path: {
preroll_call_to_action_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["PrerollCallToActionView"];
};
};
};
};
};
listPromotableUsers: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["PromotableUserSortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
promotable_user_ids?: string[];
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["PromotableUserView"][];
};
};
};
};
};
getPromotableUser: {
parameters: {
query?: {
with_deleted?: boolean;
};
path: {
promotable_user_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["PromotableUserView"];
};
};
};
};
};
listPromotedAccounts: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["PromotedAccountSortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
line_item_ids?: string[];
promoted_account_ids?: string[];
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["PromotedAccountView"][];
};
};
};
};
};
createPromotedAccount: {
parameters: {
path: {
account_id: string;
};
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["CreatePromotedAccountForm"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["PromotedAccountView"];
};
};
};
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["PromotedAccountView"];
};
};
};
};
};
getPromotedAccount: {
parameters: {
query?: {
with_deleted?: boolean;
};
path: {
promoted_account_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["PromotedAccountView"];
};
};
};
};
};
deletePromotedAccount: {
parameters: {
path: {
promoted_account_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["PromotedAccountView"];
};
};
};
};
};
listPromotedPosts: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["PromotedPostSortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
line_item_ids?: string[];
promoted_post_ids?: string[];
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["PromotedPostView"][];
};
};
};
};
};
createPromotedPost: {
parameters: {
path: {
account_id: string;
};
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["CreatePromotedPostForm"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count: number;
data: components["schemas"]["PromotedPostView"][];
};
};
};
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count: number;
data: components["schemas"]["PromotedPostView"][];
};
};
};
};
};
getPromotedPost: {
parameters: {
query?: {
with_deleted?: boolean;
};
path: {
promoted_post_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["PromotedPostView"];
};
};
};
};
};
deletePromotedPost: {
parameters: {
path: {
promoted_post_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["PromotedPostView"];
};
};
};
};
};
listScheduledPosts: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["ScheduledPostSortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
user_id?: string;
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["ScheduledPostView"][];
};
};
};
};
};
createScheduledPost: {
parameters: {
path: {
account_id: string;
};
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["CreateScheduledPostForm"];
};
};
responses: {
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["ScheduledPostView"];
};
};
};
};
};
getScheduledPreview: {
parameters: {
path: {
scheduled_post_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["PostPreviewView"][];
};
};
};
};
};
getScheduledPost: {
parameters: {
query?: {
with_deleted?: boolean;
};
path: {
scheduled_post_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["ScheduledPostView"];
};
};
};
};
};
updateScheduledPost: {
parameters: {
path: {
scheduled_post_id: string;
account_id: string;
};
};
requestBody?: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["UpdateScheduledPostForm"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["ScheduledPostView"];
};
};
};
};
};
deleteScheduledPost: {
parameters: {
path: {
scheduled_post_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["ScheduledPostView"];
};
};
};
};
};
listScheduledPromotedPosts: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["ScheduledPromotedPostSortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
line_item_ids?: string[];
scheduled_promoted_post_ids?: string[];
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["ScheduledPromotedPostView"][];
};
};
};
};
};
createScheduledPromotedPost: {
parameters: {
path: {
account_id: string;
};
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["CreateScheduledPromotedPostForm"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["ScheduledPromotedPostView"];
};
};
};
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["ScheduledPromotedPostView"];
};
};
};
};
};
getScheduledPromotedPost: {
parameters: {
query?: {
with_deleted?: boolean;
};
path: {
scheduled_promoted_post_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["ScheduledPromotedPostView"];
};
};
};
};
};
deleteScheduledPromotedPost: {
parameters: {
path: {
scheduled_promoted_post_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["ScheduledPromotedPostView"];
};
};
};
};
};
listTargetingCriteria: {
parameters: {
query: {
line_item_ids: string[];
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["TargetingCriterionSortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
targeting_criterion_ids?: string[];
lang?: string;
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["TargetingCriterionView"][];
};
};
};
};
};
createTargetingCriteria: {
parameters: {
path: {
account_id: string;
};
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["CreateTargetingCriteriaForm"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["TargetingCriterionView"];
};
};
};
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["TargetingCriterionView"];
};
};
};
};
};
getTargetingCriteria: {
parameters: {
query?: {
with_deleted?: boolean;
lang?: string;
};
path: {
targeting_criterion_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["TargetingCriterionView"];
};
};
};
};
};
deleteTargetingCriteria: {
parameters: {
path: {
targeting_criterion_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["TargetingCriterionView"];
};
};
};
};
};
listTargetingSuggestions: {
parameters: {
query: {
suggestion_type: components["schemas"]["SuggestionType"];
targeting_values: string[];
count?: number;
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["TargetingSuggestionView"][];
};
};
};
};
};
getTaxSetting: {
parameters: {
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["TaxSettingsView"];
};
};
};
};
};
updateTaxSetting: {
parameters: {
path: {
account_id: string;
};
};
requestBody?: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["UpdateTaxSettingForm"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["TaxSettingsView"];
};
};
};
};
};
listTrackingTags: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["TrackingTagSortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
line_item_ids?: string[];
tracking_tag_ids?: string[];
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["TrackingTagView"][];
};
};
};
};
};
createTrackingTag: {
parameters: {
path: {
account_id: string;
};
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["CreateTrackingTagForm"];
};
};
responses: {
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["TrackingTagView"];
};
};
};
};
};
getTrackingTag: {
parameters: {
query?: {
with_deleted?: boolean;
};
path: {
tracking_tag_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["TrackingTagView"];
};
};
};
};
};
updateTrackingTag: {
parameters: {
path: {
tracking_tag_id: string;
account_id: string;
};
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["UpdateTrackingTagForm"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["TrackingTagView"];
};
};
};
};
};
deleteTrackingTag: {
parameters: {
path: {
tracking_tag_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["TrackingTagView"];
};
};
};
};
};
getUserSetting: {
parameters: {
path: {
user_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["UserSettingsView"];
};
};
};
};
};
updateUserSetting: {
parameters: {
path: {
user_id: string;
account_id: string;
};
};
requestBody?: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["UpdateUserSettingForm"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["UserSettingsView"];
};
};
};
};
};
listWebEventTags: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["WebEventTagSortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
web_event_tag_ids?: string[];
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["WebEventTagView"][];
};
};
};
};
};
createWebEventTag: {
parameters: {
path: {
account_id: string;
};
};
requestBody: {
content: {
/**
* @example {
*       "name": "Bought beans",
*       "type": "PURCHASE",
*       "click_window": 30,
*       "view_through_window": 1,
*       "retargeting_enabled": false
*     }
*/
"application/x-www-form-urlencoded": components["schemas"]["CreateWebEventTagForm"];
};
};
responses: {
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["WebEventTagView"];
};
};
};
};
};
getWebEventTag: {
parameters: {
query?: {
with_deleted?: boolean;
};
path: {
web_event_tag_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["WebEventTagView"];
};
};
};
};
};
updateWebEventTag: {
parameters: {
path: {
web_event_tag_id: string;
account_id: string;
};
};
requestBody?: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["UpdateWebEventTagForm"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["WebEventTagView"];
};
};
};
};
};
deleteWebEventTag: {
parameters: {
path: {
web_event_tag_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["WebEventTagView"];
};
};
};
};
};
listAdvertiserBusinessCategories: {
parameters: {
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
data: components["schemas"]["AdvertiserBusinessCategoryView"][];
};
};
};
};
};
batchCampaigns: {
parameters: {
path: {
account_id: string;
};
};
requestBody: {
content: {
"application/json": ({
/** @constant */
operation_type: "Create";
params: components["schemas"]["CreateCampaign"];
} | {
/** @constant */
operation_type: "Update";
params: components["schemas"]["UpdateCampaignOperation"];
} | {
/** @constant */
operation_type: "Delete";
params: components["schemas"]["DeleteCampaignOperation"];
})[];
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["CampaignView"][];
request: components["schemas"]["EchoedOperation"][];
};
};
};
};
};
batchCustomAudiences: {
parameters: {
path: {
account_id: string;
};
};
requestBody: {
content: {
"application/json": ({
/** @constant */
operation_type: "Create";
params: components["schemas"]["CreateAudienceOperation"];
} | {
/** @constant */
operation_type: "Update";
params: components["schemas"]["UpdateAudienceOperation"];
} | {
/** @constant */
operation_type: "Delete";
params: components["schemas"]["DeleteAudienceOperation"];
})[];
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["CustomAudienceView"][];
request: components["schemas"]["EchoedOperation"][];
};
};
};
};
};
uploadDoNotReachListUser: {
parameters: {
path: {
do_not_reach_list_id: string;
account_id: string;
};
};
requestBody: {
content: {
"application/json": ({
/** @constant */
operation_type: "Update";
params: components["schemas"]["DoNotReachUsers"];
} | {
/** @constant */
operation_type: "Delete";
params: components["schemas"]["DoNotReachUsers"];
})[];
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["UploadCountsView"][];
request: components["schemas"]["EchoedOperation"][];
};
};
};
};
};
batchLineItems: {
parameters: {
path: {
account_id: string;
};
};
requestBody: {
content: {
"application/json": ({
/** @constant */
operation_type: "Create";
params: components["schemas"]["CreateLineItem"];
} | {
/** @constant */
operation_type: "Update";
params: components["schemas"]["UpdateLineItemOperation"];
} | {
/** @constant */
operation_type: "Delete";
params: components["schemas"]["DeleteLineItemOperation"];
})[];
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["LineItemView"][];
request: components["schemas"]["EchoedOperation"][];
};
};
};
};
};
batchTargetingCriteria: {
parameters: {
path: {
account_id: string;
};
};
requestBody: {
content: {
"application/json": ({
/** @constant */
operation_type: "Create";
params: components["schemas"]["CreateTargetingCriterion"];
} | {
/** @constant */
operation_type: "Delete";
params: components["schemas"]["DeleteTargetingCriterionOperation"];
})[];
};
};
responses: {
200: {
content: {
"application/json": {
/** @constant */
data_type: "targeting_criterion";
data: components["schemas"]["TargetingCriterionView"][];
request: components["schemas"]["EchoedOperation"][];
};
};
};
};
};
listBiddingRules: {
parameters: {
query?: {
currency?: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
/** @constant */
data_type: "bidding_rule";
total_count: number;
data: components["schemas"]["BiddingRuleView"][];
};
};
};
};
};
listContentCategories: {
parameters: {
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count: number;
data: components["schemas"]["ContentCategoryView"][];
};
};
};
};
};
findPartnerEvent: {
parameters: {
query: {
app_id: string;
conversion_type: components["schemas"]["AppConversionType"];
os_type: components["schemas"]["AppEventOsType"];
conversion_time: string;
hashed_device_id: string;
click_window?: 1 | 7 | 14 | 30;
view_through_window?: 0 | 1 | 7 | 14 | 30;
extra_device_ids?: string[];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["AppAttributionView"];
};
};
};
};
};
sendPartnerEvent: {
parameters: {
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["SendPartnerEventForm"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["AppEventView"];
};
};
};
};
};
listIabCategories: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
with_total_count?: boolean;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["IabCategoryView"][];
};
};
};
};
};
searchKeywords: {
parameters: {
query: {
granularity: components["schemas"]["Granularity"];
keywords: string[];
start_time: string;
end_time?: string;
location?: string;
negative_keywords?: string[];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["KeywordInsightsView"];
};
};
};
};
};
listPlacements: {
parameters: {
query?: {
product_type?: components["schemas"]["ProductType"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["PlacementsView"][];
};
};
};
};
};
sendConversion: {
parameters: {
path: {
pixel_id: string;
};
};
requestBody: {
content: {
"application/json": components["schemas"]["SendConversions"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["ProcessedConversionsView"];
};
};
};
};
};
listProductCatalogs: {
parameters: {
query?: {
user_id?: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["ProductCatalogView"][];
};
};
};
};
};
createProductCatalog: {
parameters: {
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["CreateProductCatalogForm"];
};
};
responses: {
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["ProductCatalogView"];
};
};
};
};
};
updateProductCatalog: {
parameters: {
path: {
product_catalog_id: string;
};
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["UpdateProductCatalogForm"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["ProductCatalogView"];
};
};
};
};
};
deleteProductCatalog: {
parameters: {
query?: {
user_id?: string;
};
path: {
product_catalog_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["ProductCatalogView"];
};
};
};
};
};
listProductSets: {
parameters: {
query?: {
user_id?: string;
};
path: {
product_catalog_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["ProductSetView"][];
};
};
};
};
};
createProductSet: {
parameters: {
path: {
product_catalog_id: string;
};
};
requestBody: {
content: {
/**
* @example {
*       "name": "Gifts for coffee drinkers",
*       "type": "MANUAL",
*       "product_keys": [
*         "1156965104280194"
*       ]
*     }
*/
"application/json": components["schemas"]["CreateProductSet"];
};
};
responses: {
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["ProductSetView"];
};
};
};
};
};
getProductSet: {
parameters: {
query?: {
user_id?: string;
};
path: {
product_catalog_id: string;
product_set_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["ProductSetView"];
};
};
};
};
};
updateProductSet: {
parameters: {
path: {
product_catalog_id: string;
product_set_id: string;
};
};
requestBody: {
content: {
"application/json": components["schemas"]["UpdateProductSet"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["ProductSetView"];
};
};
};
};
};
deleteProductSet: {
parameters: {
query?: {
user_id?: string;
};
path: {
product_catalog_id: string;
product_set_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["ProductSetView"];
};
};
};
};
};
listProducts: {
parameters: {
query?: {
user_id?: string;
item_group_key?: string;
count?: number;
cursor?: string | null;
};
path: {
product_catalog_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
data: components["schemas"]["ProductView"][];
};
};
};
};
};
putProduct: {
parameters: {
path: {
product_catalog_id: string;
};
};
requestBody: {
content: {
"application/json": components["schemas"]["PutProducts"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["ProductResultsView"];
};
};
};
};
};
deleteProduct: {
parameters: {
path: {
product_catalog_id: string;
};
};
requestBody: {
content: {
"application/json": components["schemas"]["DeleteProducts"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["DeletedProductsView"];
};
};
};
};
};
listScheduledFeeds: {
parameters: {
query?: {
user_id?: string;
};
path: {
product_catalog_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["ScheduledFeedView"][];
};
};
};
};
};
createScheduledFeed: {
parameters: {
path: {
product_catalog_id: string;
};
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["CreateScheduledFeedForm"];
};
};
responses: {
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["ScheduledFeedView"];
};
};
};
};
};
updateScheduledFeed: {
parameters: {
path: {
product_catalog_id: string;
scheduled_feed_id: string;
};
};
requestBody?: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["UpdateScheduledFeedForm"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["ScheduledFeedView"];
};
};
};
};
};
deleteScheduledFeed: {
parameters: {
query?: {
user_id?: string;
};
path: {
product_catalog_id: string;
scheduled_feed_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["ScheduledFeedView"];
};
};
};
};
};
lastFetch: {
parameters: {
query?: {
user_id?: string;
};
path: {
product_catalog_id: string;
scheduled_feed_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["FeedFetchView"];
};
};
};
};
};
fetchScheduledFeed: {
parameters: {
path: {
product_catalog_id: string;
scheduled_feed_id: string;
};
};
requestBody?: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["FetchScheduledFeedForm"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["FeedFetchView"];
};
};
};
};
};
listPublishers: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["PublisherSortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["PublisherView"][];
};
};
};
};
};
getStatistics: {
parameters: {
query: {
entity: components["schemas"]["StatisticsEntity"];
entity_ids: string[];
start_time: string;
end_time: string;
granularity: components["schemas"]["StatisticsGranularity"];
metric_groups: components["schemas"]["MetricGroup"][];
placement: components["schemas"]["StatisticsPlacement"];
segmentation_type?: string;
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
/** @constant */
data_type: "stats";
time_series_length: number;
data: components["schemas"]["StatisticsView"][];
};
};
};
};
};
listActiveEntities: {
parameters: {
query: {
entity: components["schemas"]["ActiveEntity"];
start_time: string;
end_time: string;
campaign_ids?: string[];
funding_instrument_ids?: string[];
line_item_ids?: string[];
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
/** @constant */
data_type: "active_entities";
data: components["schemas"]["ActiveEntityView"][];
};
};
};
};
};
getCampaignReach: {
parameters: {
query: {
start_time: string;
end_time: string;
campaign_ids: string[];
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
/** @constant */
data_type: "reach";
data: components["schemas"]["ReachView"][];
};
};
};
};
};
getFundingInstrumentReach: {
parameters: {
query: {
start_time: string;
end_time: string;
funding_instrument_ids: string[];
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
/** @constant */
data_type: "reach";
data: components["schemas"]["ReachView"][];
};
};
};
};
};
listStatisticsJobs: {
parameters: {
query?: {
job_ids?: string[];
count?: number;
cursor?: string | null;
};
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
data: components["schemas"]["StatisticsJobView"][];
};
};
};
};
};
createStatisticsJob: {
parameters: {
path: {
account_id: string;
};
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["CreateStatisticsJobForm"];
};
};
responses: {
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["StatisticsJobView"];
};
};
};
};
};
deleteStatisticsJob: {
parameters: {
path: {
job_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
/** @constant */
data_type: "job";
data: components["schemas"]["StatisticsJobView"];
};
};
};
};
};
listAppStoreCategories: {
parameters: {
query?: {
q?: string;
os_type?: components["schemas"]["AppStore"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["AppStoreCategoryView"][];
};
};
};
};
};
listConversations: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
conversation_type?: components["schemas"]["ConversationType"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
data: components["schemas"]["ConversationView"][];
};
};
};
};
};
listDevices: {
parameters: {
query?: {
count?: number;
q?: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["DeviceView"][];
};
};
};
};
};
listEvents: {
parameters: {
query: {
event_types: components["schemas"]["EventType"][];
count?: number;
cursor?: string | null;
country_codes?: string[];
start_time?: string;
end_time?: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
/** @constant */
data_type: "events";
data: components["schemas"]["TargetingEventView"][];
};
};
};
};
};
listInterests: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
q?: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
data: components["schemas"]["InterestView"][];
};
};
};
};
};
listLanguages: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
q?: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
data: components["schemas"]["TargetingLanguageView"][];
};
};
};
};
};
listLocations: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
location_type?: components["schemas"]["LocationType"];
country_code?: string;
q?: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
data: components["schemas"]["TargetingLocationView"][];
};
};
};
};
};
listNetworkOperators: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
country_code?: string;
q?: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
data: components["schemas"]["NetworkOperatorView"][];
};
};
};
};
};
listPlatformVersions: {
parameters: {
query?: {
q?: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
/** @constant */
data_type: "targeting_criterion";
data: components["schemas"]["PlatformVersionView"][];
};
};
};
};
};
listPlatforms: {
parameters: {
query?: {
q?: string;
count?: number;
lang?: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["PlatformView"][];
};
};
};
};
};
listTvMarkets: {
parameters: {
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["TvMarketView"][];
};
};
};
};
};
listTvShows: {
parameters: {
query: {
locale: string;
q?: string;
count?: number;
cursor?: string | null;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
data: components["schemas"]["TvShowView"][];
};
};
};
};
};
listMediaLookup: {
parameters: {
query: {
media_keys: string[];
"media.fields"?: components["schemas"]["MediaField"][];
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["FoundMediaView"][];
meta: {
result_count: number;
};
};
};
};
};
};
listMediaAnalytics: {
parameters: {
query: {
media_keys: string[];
start_time: string;
end_time: string;
granularity?: components["schemas"]["MediaGranularity"];
"media_analytics.fields"?: components["schemas"]["MediaAnalyticsField"][];
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["MediaAnalyticsView"][];
meta: {
result_count: number;
};
};
};
};
};
};
describeMediaMetadata: {
parameters: {
};
requestBody: {
content: {
"application/json": components["schemas"]["DescribeMedia"];
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["DescribedMediaView"];
};
};
};
};
};
addMediaSubtitles: {
parameters: {
};
requestBody: {
content: {
"application/json": components["schemas"]["AddSubtitles"];
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["SubtitledMediaView"];
};
};
};
};
};
removeMediaSubtitles: {
parameters: {
};
requestBody: {
content: {
"application/json": components["schemas"]["RemoveSubtitles"];
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["RemovedSubtitlesView"];
};
};
};
};
};
statusMediaV2: {
parameters: {
query: {
media_id: string;
command?: components["schemas"]["UploadStatusCommand"];
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["MediaUploadV2View"];
};
};
};
};
};
uploadMediaV2: {
parameters: {
};
requestBody?: {
content: {
"application/json": components["schemas"]["UploadMediaV2"] & {
media?: string;
};
"multipart/form-data": components["schemas"]["UploadMediaV2"] & {
media?: string;
};
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["MediaUploadV2View"];
};
};
};
};
};
initializeMediaV2: {
parameters: {
};
requestBody: {
content: {
"application/json": components["schemas"]["InitializeUpload"];
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["MediaUploadV2View"];
};
};
};
};
};
appendMediaV2: {
parameters: {
path: {
media_id: string;
};
};
requestBody: {
content: {
"application/json": components["schemas"]["AppendSegment"] & {
media: string;
};
"multipart/form-data": components["schemas"]["AppendSegment"] & {
media: string;
};
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["AppendedSegmentView"];
};
};
};
};
};
finalizeMediaV2: {
parameters: {
path: {
media_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["MediaUploadV2View"];
};
};
};
};
};
getMediaLookup: {
parameters: {
query?: {
"media.fields"?: components["schemas"]["MediaField"][];
};
path: {
media_key: string;
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["FoundMediaView"];
};
};
};
};
};
getMe: {
parameters: {
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["UserSelfView"];
};
};
};
};
};
listTailoredAudiencePermissions: {
parameters: {
query?: {
count?: number;
cursor?: string | null;
sort_by?: components["schemas"]["AudiencePermissionSortKey"][];
with_deleted?: boolean;
with_total_count?: boolean;
granted_account_ids?: string[];
tailored_audience_permission_ids?: string[];
};
path: {
tailored_audience_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
next_cursor: string | null;
total_count?: number;
data: components["schemas"]["TailoredAudiencePermissionView"][];
};
};
};
};
};
createTailoredAudiencePermission: {
parameters: {
path: {
tailored_audience_id: string;
account_id: string;
};
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["CreateTailoredAudiencePermissionForm"];
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["TailoredAudiencePermissionView"];
};
};
};
201: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["TailoredAudiencePermissionView"];
};
};
};
};
};
deleteTailoredAudiencePermission: {
parameters: {
path: {
tailored_audience_id: string;
tailored_audience_permission_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
request: components["schemas"]["EchoedRequest"];
data: components["schemas"]["TailoredAudiencePermissionView"];
};
};
};
};
};
invalidateOAuth2: {
parameters: {
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["InvalidateOAuth2Form"];
};
};
responses: {
200: {
content: {
"application/json": {
access_token: string;
};
};
};
};
};
releaseAccountClock: {
parameters: {
path: {
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["ClockDeletedView"];
};
};
};
};
};
listTestClocks: {
parameters: {
query?: {
max_results?: number;
pagination_token?: string;
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["TestClockView"][];
meta: {
result_count: number;
next_token?: string;
};
};
};
};
};
};
createTestClock: {
parameters: {
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["CreateTestClockForm"];
};
};
responses: {
201: {
content: {
"application/json": {
data: components["schemas"]["TestClockView"];
};
};
};
};
};
getTestClock: {
parameters: {
path: {
clock_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["TestClockView"];
};
};
};
};
};
deleteTestClock: {
parameters: {
path: {
clock_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["ClockDeletedView"];
};
};
};
};
};
attachAccount: {
parameters: {
path: {
clock_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["TestClockView"];
};
};
};
};
};
detachAccount: {
parameters: {
path: {
clock_id: string;
account_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["TestClockView"];
};
};
};
};
};
advanceTestClock: {
parameters: {
path: {
clock_id: string;
};
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["AdvanceTestClockForm"];
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["TestClockView"];
};
};
};
};
};
listReceivedConversions: {
parameters: {
query: {
account_id: string;
max_results?: number;
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["ReceivedConversionView"][];
meta: {
result_count: number;
};
};
};
};
};
};
createReceivedConversion: {
parameters: {
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["CreateReceivedConversionForm"];
};
};
responses: {
201: {
content: {
"application/json": {
data: components["schemas"]["SentConversionView"];
};
};
};
};
};
getReceivedConversion: {
parameters: {
query: {
account_id: string;
};
path: {
received_conversion_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["ReceivedConversionView"];
};
};
};
};
};
listEngagements: {
parameters: {
query: {
account_id: string;
max_results?: number;
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["EngagementView"][];
meta: {
result_count: number;
};
};
};
};
};
};
createEngagement: {
parameters: {
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["CreateEngagementForm"];
};
};
responses: {
201: {
content: {
"application/json": {
data: components["schemas"]["EngagementView"];
};
};
};
};
};
listFaults: {
parameters: {
query?: {
max_results?: number;
pagination_token?: string;
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["FaultView"][];
meta: {
result_count: number;
next_token?: string;
};
};
};
};
};
};
createFault: {
parameters: {
};
requestBody?: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["CreateFaultForm"];
};
};
responses: {
201: {
content: {
"application/json": {
data: components["schemas"]["FaultView"];
};
};
};
};
};
getFault: {
parameters: {
path: {
fault_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["FaultView"];
};
};
};
};
};
updateFault: {
parameters: {
path: {
fault_id: string;
};
};
requestBody?: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["UpdateFaultForm"];
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["FaultView"];
};
};
};
};
};
deleteFault: {
parameters: {
path: {
fault_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["FaultDeletedView"];
};
};
};
};
};
listLeads: {
parameters: {
query: {
account_id: string;
lead_form_id?: string;
max_results?: number;
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["LeadView"][];
meta: {
result_count: number;
};
};
};
};
};
};
submitLead: {
parameters: {
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["SubmitLeadForm"];
};
};
responses: {
201: {
content: {
"application/json": {
data: components["schemas"]["LeadView"];
};
};
};
};
};
listNamespaces: {
parameters: {
query?: {
max_results?: number;
pagination_token?: string;
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["NamespaceView"][];
meta: {
result_count: number;
next_token?: string;
};
};
};
};
};
};
createNamespace: {
parameters: {
};
requestBody?: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["CreateNamespaceForm"];
};
};
responses: {
201: {
content: {
"application/json": {
data: components["schemas"]["CreatedNamespaceView"];
};
};
};
};
};
getNamespace: {
parameters: {
path: {
namespace_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["NamespaceView"];
};
};
};
};
};
updateNamespace: {
parameters: {
path: {
namespace_id: string;
};
};
requestBody: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["UpdateNamespaceForm"];
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["NamespaceView"];
};
};
};
};
};
deleteNamespace: {
parameters: {
path: {
namespace_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["NamespaceDeletedView"];
};
};
};
};
};
listRequests: {
parameters: {
query?: {
path?: string;
method?: components["schemas"]["JournaledMethod"][];
status?: string[];
account_id?: string;
request_id?: string;
unmatched?: boolean;
namespace_id?: string;
start_time?: string;
end_time?: string;
max_results?: number;
pagination_token?: string | null;
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["JournaledRequestView"][];
meta: {
result_count: number;
next_token?: string;
};
};
};
};
};
};
countRequest: {
parameters: {
};
requestBody?: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["CountRequestForm"];
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["RequestCountView"];
};
};
};
};
};
getRequest: {
parameters: {
query?: {
namespace_id?: string;
};
path: {
request_id: string;
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["JournaledRequestDetailView"];
};
};
};
};
};
resetAccountState: {
parameters: {
};
requestBody?: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["ResetAccountStateForm"];
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["ResetView"];
};
};
};
};
};
listSnapshots: {
parameters: {
query?: {
max_results?: number;
pagination_token?: string;
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["SnapshotView"][];
meta: {
result_count: number;
next_token?: string;
};
};
};
};
};
};
getSnapshot: {
parameters: {
path: {
snapshot_name: string;
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["SnapshotView"];
};
};
};
};
};
saveSnapshot: {
parameters: {
path: {
snapshot_name: string;
};
};
requestBody?: {
content: {
"application/x-www-form-urlencoded": components["schemas"]["SaveSnapshotForm"];
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["SnapshotView"];
};
};
};
201: {
content: {
"application/json": {
data: components["schemas"]["SnapshotView"];
};
};
};
};
};
deleteSnapshot: {
parameters: {
path: {
snapshot_name: string;
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["SnapshotDeletedView"];
};
};
};
};
};
exportSnapshotFile: {
parameters: {
path: {
snapshot_name: string;
};
};
responses: {
200: {
content: {
"application/json": {
format: string;
/** @enum {integer} */
version: 1;
name?: string;
saved_at?: string;
accounts: {
account_id: string;
tables: {
[key: string]: {
[key: string]: unknown;
}[];
};
}[];
signature?: string;
};
};
};
};
};
importSnapshotFile: {
parameters: {
query?: {
account_ids?: string[];
};
path: {
snapshot_name: string;
};
};
requestBody: {
content: {
"application/json": {
format: string;
/** @enum {integer} */
version: 1;
name?: string;
saved_at?: string;
accounts: {
account_id: string;
tables: {
[key: string]: {
[key: string]: unknown;
}[];
};
}[];
signature?: string;
};
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["SnapshotView"];
};
};
};
201: {
content: {
"application/json": {
data: components["schemas"]["SnapshotView"];
};
};
};
};
};
restoreSnapshot: {
parameters: {
path: {
snapshot_name: string;
};
};
responses: {
200: {
content: {
"application/json": {
data: components["schemas"]["SnapshotView"];
};
};
};
};
};
}
