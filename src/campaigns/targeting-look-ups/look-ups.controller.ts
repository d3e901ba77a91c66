import { Get } from '@nestjs/common';
import { CallerController } from '../../auth/guards/ads-controller.js';
import { Params } from '../../common/http/params/params.js';
import { ReturnsList, ReturnsPage } from '../../common/http/answers/responses.js';
import {
  ListAppStoreCategories,
  ListConversations,
  ListDevices,
  ListEvents,
  ListInterests,
  ListLanguages,
  ListLocations,
  ListNetworkOperators,
  ListPlatforms,
  ListPlatformVersions,
  ListTvShows,
} from './look-ups.dto.js';
import {
  AppStoreCategoryView,
  ConversationView,
  DeviceView,
  InterestView,
  NetworkOperatorView,
  PlatformVersionView,
  PlatformView,
  presentAppStoreCategory,
  presentConversation,
  presentDevice,
  presentEvent,
  presentInterest,
  presentLanguage,
  presentLocation,
  presentNetworkOperator,
  presentPlatform,
  presentPlatformVersion,
  presentTvMarket,
  presentTvShow,
  TargetingEventView,
  TargetingLanguageView,
  TargetingLocationView,
  TvMarketView,
  TvShowView,
} from './look-ups.presenter.js';
import { LookUps } from './look-ups.service.js';

@CallerController('targeting_criteria', { tag: 'Targeting options', quota: 'TARGETING_LOOKUPS' })
export class TargetingOptionsController {
  constructor(private readonly lookUps: LookUps) {}

  /** Categories of the stores that apps are installed from. */
  @Get('app_store_categories')
  @ReturnsList(AppStoreCategoryView)
  listAppStoreCategories(@Params() query: ListAppStoreCategories) {
    return this.lookUps.appStoreCategories(query).map(presentAppStoreCategory);
  }

  /** What people talk about. */
  @Get('conversations')
  @ReturnsPage(ConversationView)
  listConversations(@Params() query: ListConversations) {
    return this.lookUps.conversations(query).map(presentConversation);
  }

  /** Telephones and tablets. */
  @Get('devices')
  @ReturnsList(DeviceView)
  listDevices(@Params() query: ListDevices) {
    return this.lookUps.devices(query).map(presentDevice);
  }

  /** What happens in the world, the first to begin first. */
  @Get('events')
  @ReturnsPage(TargetingEventView, { data_type: 'events' })
  listEvents(@Params() query: ListEvents) {
    return this.lookUps.events(query).map(presentEvent);
  }

  /** What people are interested in, as Parent/Child. */
  @Get('interests')
  @ReturnsPage(InterestView)
  listInterests(@Params() query: ListInterests) {
    return this.lookUps.interests(query).map(presentInterest);
  }

  /** The languages that can be targeted. */
  @Get('languages')
  @ReturnsPage(TargetingLanguageView)
  listLanguages(@Params() query: ListLanguages) {
    return this.lookUps.languages(query).map(presentLanguage);
  }

  /** Places that can be targeted: those whose name begins with `q` first, then countries, regions, metros, cities, postal codes. */
  @Get('locations')
  @ReturnsPage(TargetingLocationView)
  listLocations(@Params() query: ListLocations) {
    return this.lookUps.locations(query).map(presentLocation);
  }

  /** Who runs the networks of a country. */
  @Get('network_operators')
  @ReturnsPage(NetworkOperatorView)
  listNetworkOperators(@Params() query: ListNetworkOperators) {
    return this.lookUps.networkOperators(query).map(presentNetworkOperator);
  }

  /** Versions of what devices run. */
  @Get('platform_versions')
  @ReturnsList(PlatformVersionView, { data_type: 'targeting_criterion' })
  listPlatformVersions(@Params() query: ListPlatformVersions) {
    return this.lookUps.platformVersions(query).map(presentPlatformVersion);
  }

  /** What the platform is used on. */
  @Get('platforms')
  @ReturnsList(PlatformView)
  listPlatforms(@Params() query: ListPlatforms) {
    return this.lookUps.platforms(query).map((platform) => presentPlatform(platform, query.lang));
  }
}

@CallerController('targeting_criteria', { tag: 'Targeting options', quota: 'TV_LOOKUPS' })
export class TvOptionsController {
  constructor(private readonly lookUps: LookUps) {}

  /** Where TV shows can be targeted. */
  @Get('tv_markets')
  @ReturnsList(TvMarketView)
  listTvMarkets() {
    return this.lookUps.tvMarkets().map(presentTvMarket);
  }

  /** The shows of a market. */
  @Get('tv_shows')
  @ReturnsPage(TvShowView)
  listTvShows(@Params() query: ListTvShows) {
    return this.lookUps.tvShows(query).map(presentTvShow);
  }
}
