import { Get } from '@nestjs/common';
import { AccountController } from '../../accounts/access/account-controller.js';
import { Params } from '../../common/http/params/params.js';
import { ReturnsList } from '../../common/http/answers/responses.js';
import { CAMPAIGNS_READ } from '../campaigns.permissions.js';
import { presentSuggestions, TargetingSuggestionView } from './targeting-suggestion.presenter.js';
import { ListSuggestions } from './targeting-suggestions.dto.js';
import { TargetingSuggestions } from './targeting-suggestions.service.js';

@AccountController('targeting_suggestions', { tag: 'Targeting options', reads: CAMPAIGNS_READ })
export class TargetingSuggestionsController {
  constructor(private readonly suggestions: TargetingSuggestions) {}

  /** Keywords that are said with these, or users that are followed with these; the most typical first. */
  @Get()
  @ReturnsList(TargetingSuggestionView)
  async list(@Params() query: ListSuggestions) {
    return presentSuggestions(query.suggestion_type, await this.suggestions.list(query));
  }
}
