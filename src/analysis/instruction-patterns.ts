/**
 * Orders in a purpose, by what they want. Every pattern takes linear time: a gap is a bounded number
 * of words, and one word is all between two single spaces, so that nothing can be read two ways.
 */

/** `a|b` up to a few words before `c|d`; the endings of words are free where `*` stands. */
const near = (first: string, second: string, gap = 4): RegExp => {
  const words = (list: string) => list.replaceAll('*', '[^ ]*')
  return new RegExp(` (?:${words(first)})(?: [^ ]+){0,${gap}} (?:${words(second)}) `, 'u')
}

const phrase = (list: string): RegExp => near(list, '[^ ]+', 0)
/** The last words of a text have nothing after them. */
const ending = (list: string): RegExp => new RegExp(` (?:${list.replaceAll('*', '[^ ]*')}) `, 'u')

const oneOf = (...lists: string[]): string => lists.join('|')

const overrides: RegExp[] = [
  near(
    oneOf(
      'ignore|ignoring|disregard|forget|override|overrule|bypass|discard|neglect|circumvent',
      'do not follow|don t follow|dont follow|stop following|pay no attention to|set aside',
    ),
    oneOf(
      'instructions?|rules?|guidelines?|prompts?|directives?|directions|safeguards?|constraints?',
      'restrictions?|polic(?:y|ies)|checks?|limits?|caps?|above|previous|prior|context|warnings?',
    ),
  ),
  near(
    'ignorier*|missacht*|vergiss|vergessen|umgeh*|uberschreib*',
    'anweisung*|regel*|vorgab*|richtlinie*|prufung*|instruktion*|befehl*|bisherig*|vorherig*',
  ),
  near(
    'ignorez?|ignorer|oubliez?|oublier|contournez?|ne tenez pas compte|ne tiens pas compte',
    'instructions?|regles?|consignes?|directives?|precedent*|limites?|controles?',
  ),
  near(
    'ignor(?:a|e|ar|en|em|ad)|olvid(?:a|e|ar|en)|omit(?:e|a|ir)|esqueca|desconsider(?:e|a|ar)',
    'instruc*|reglas?|regras?|normas?|directrices|diretrizes|politicas?|limites?|anterior*',
  ),
  near(
    'ignora(?:re|te)?|ignori|dimentica(?:re|te)?|aggira(?:re|te)?',
    'istruzion*|regol*|direttiv*|precedent*|limit*',
  ),
  near('negeer|vergeet|omzeil', 'instructies?|regels?|richtlijnen|eerdere|voorgaande|controles?'),
  near(
    'zignoruj*|ignoruj*|zapomnij*|pomin',
    'instrukcj*|zasad*|polece*|poprzedni*|regul*|wytyczn*',
  ),
  near('ignorera|ignorer|bortse|glom', 'instruktion*|regler*|anvisning*|tidigare|instrukser'),
  near('talimat*|kural*', 'yok say*|gormezden gel*|unut*|dikkate alma*'),
  near(
    'игнорируй*|проигнорируй*|забудь*|обойди*|ігноруй*|проігноруй*',
    'инструкц*|правил*|указани*|предыдущ*|ограничени*|інструкц*|попередн*|вказівк*',
  ),
  near('αγνόησ*|αγνοήσ*|ξέχασ*|παράκαμψ*', 'οδηγί*|κανόν*|εντολ*|προηγούμεν*'),
  near('تجاهل*|انس', 'التعليمات|تعليمات|القواعد|الأوامر|السابقة'),
  near('התעלם*|התעלמ*|שכח*', 'ההוראות|הוראות|הכללים|הקודמות|מההוראות'),
  near('دستور*|قوانین', 'نادیده|فراموش'),
  near('निर्देश*|नियम*', 'अनदेखा|भूल|उपेक्षा'),
  near('bo qua|quen', 'huong dan|chi thi|quy tac|lenh|truoc'),
  near('abaikan|lupakan', 'instruksi|aturan|perintah|sebelumnya'),
]

const roles: RegExp[] = [
  phrase('you are (?:now|no longer|an ai|a helpful|an unrestricted|an approver)'),
  phrase('from now on you|pretend (?:to be|you|that)|imagine you are|behave as if|role ?play'),
  near('act as', 'ai|assistant|bot|approver|admin*|system|developer|root|unrestricted|model', 2),
  ending(
    '(?:developer|debug|god|dan|admin|sudo|root|unrestricted) mode|do anything now|jailbreak*',
  ),
  phrase('as an ai|your (?:new |only |real )?(?:role|task|job|goal|instructions|rules) (?:is|are)'),
  phrase('new (?:instructions?|rules?|task|directive|orders) (?:follow*|are|is|from|for|below)'),
  near(
    'the|your|my|new|this|reveal|hidden',
    'system prompt|system override|system instructions?',
    1,
  ),
  ending(
    oneOf(
      '(?:dear|hello|hey|attention|attn|note to|message to|memo to) (?:the |all )?(?:ai|llm|bot)',
      '(?:dear|hello|hey|attention|attn|note to|message to) (?:the )?(?:assistant|model|analyst)',
      '(?:dear|hello|hey|attention|note to) (?:the )?(?:agent|reviewer|chatgpt|gpt|claude|gemini)',
    ),
  ),
  phrase('du bist (?:jetzt|nun|kein)|sie sind (?:jetzt|nun)|tu so als|verhalte dich'),
  phrase('(?:tu es|vous etes) (?:maintenant|desormais)|agis comme|agissez comme'),
  phrase('ahora eres|eres ahora|actua como|finge ser|agora voce e|voce agora e|aja como|finja ser'),
  phrase('ora sei|adesso sei|fingi di essere|comportati come|je bent nu|doe alsof|udawaj'),
  phrase('ты теперь|теперь ты|вы теперь|притворись|действуй как|ти тепер'),
]

const answers: RegExp[] = [
  ending(
    'risk ?score (?:of |to |is |as |must |should |be |at |below |under |equals ){0,3}[^ 2-9]+',
  ),
  near('set|lower|reduce|reset|force|change|make|keep|assign', 'risk ?score', 3),
  ending('recommend(?:ation)? (?:is |to |must |should |be |of |an ){0,3}(?:approv*|accept*)'),
  near('respond|reply|answer|output|say', 'approved?|low risk|no risk|no concerns?|json|yes'),
  near(
    'mark|flag|classify|label|treat|rate|report|consider|score|record',
    'as (?:approved|safe|clean|low|passed|compliant|legitimate|trusted|verified|valid|paid)',
  ),
  ending('(?:all|every|the) checks? (?:must |should |have |has |are |is |will |shall ){0,2}pass*'),
  ending('(?:end of|begin|start of|end) (?:purpose|prompt|instructions?|untrusted*|user input)'),
  near(
    'reveal|repeat|leak|disclose|tell me|give me|dump|exfiltrate|print|show me|list',
    oneOf(
      'system prompt|your instructions|other tenants?|other organi[sz]ations?|api keys?|secrets?',
      'private keys?|seed phrase|passwords?|credentials',
    ),
  ),
  near('call|invoke|trigger|execute', 'tool|function|endpoint', 2),
  near('change|replace|swap|redirect', 'recipient|payee|beneficiary|wallet address|payout', 1),
  near('raise|increase|lift|remove|disable|double', 'caps?|limits|reserve floor|safeguards', 3),
  ending('(?:risikowert|risikobewertung|risiko) (?:auf |ist |gleich ){0,2}(?:0|null)'),
  near('antworte*|reponds|repondez|responde|responda|rispondi|antwoord|ответь*', 'approv*|json|da'),
  near('antworte*|responde|responda|rispondi|ответь*', 'genehmigt|aprobado|aprovado|одобрено', 3),
  ending('(?:score|niveau) de risque (?:a |de |est ){0,2}(?:0|zero|nul|bas)'),
  ending('(?:puntuacion|puntaje|nivel|nota) de ri(?:esgo|sco) (?:a |de |en ){0,2}(?:0|cero|zero)'),
  near('оценк*|уровень|балл|рівень', 'риска 0|риска ноль|риска в 0|ризику 0|риск 0', 2),
]

/** Weaker: people write some of these in good faith, so a person decides. */
const approvals: RegExp[] = [
  phrase('approve (?:this|it|the|immediately|now|automatically|without|all|my|payment|everything)'),
  ending('(?:please|kindly|must|should|just|always) (?:be )?(?:approved?|authori[sz]ed?|accept)'),
  ending(
    'auto(?:matically)? ?approved?|rubber ?stamp|wave (?:this|it) through|green ?light (?:this|it)',
  ),
  near('release|send|transfer|wire|move|pay out|drain', 'all funds|the funds|vault|treasury', 3),
  near('skip|no|without|avoid|waive|disable', 'review|approval|verification|oversight|analysis', 2),
  near(
    'do not|don t|dont|never|must not',
    'flag|review|reject|check|question|verify|escalate|audit|warn',
    1,
  ),
  near('already|pre', 'approved by (?:the )?(?:system|ai|admin*|security|compliance)', 0),
  ending('trust me|(?:override|authori[sz]ation) code|emergency override|trusted (?:user|request)'),
  phrase('(?:bitte|sofort|automatisch|unverzuglich) (?:genehmig*|freigeb*)'),
  phrase(
    'genehmig(?:e|en sie|t) (?:diese*|die|das|sofort|alles)|ohne (?:prufung|freigabe|kontrolle)',
  ),
  ending('approuvez? (?:ce*|la|le|tout|immediatement)|validez? ce*|sans (?:verification|controle)'),
  ending('aprueb[ae] (?:est*|el|la|todo|inmediatamente)|sin (?:revision|verificacion|aprobacion)'),
  ending('aprov[ea] (?:est*|o|a|tudo|imediatamente)|sem (?:revisao|verificacao|aprovacao)'),
  ending('approva(?:re|te)? (?:quest*|la|il|tutto|subito)|senza (?:revisione|verifica|controlli)'),
  near('keur', 'goed', 5),
  ending(
    'zonder (?:controle|goedkeuring)|zatwierdz [^ ]+|bez (?:weryfikacji|sprawdzania|kontroli)',
  ),
  ending('godkann (?:den*|detta|betalningen)|utan granskning|setujui [^ ]+'),
  near('odemeyi|bunu|talebi|islemi|harcamayi', 'onayla*', 3),
  ending('(?:одобр(?:и|ите)|утверд(?:и|ите)|схвал(?:и|іть)|затверд(?:и|іть)) [^ ]+|без проверки'),
  ending('(?:ενέκρινε|εγκρίνετε|έγκρινε) [^ ]+|χωρίς έλεγχο'),
  ending('(?:وافق على|اعتمد هذ*|قم بالموافقة|بدون مراجعة)|אשר את|אשרו את|ללא בדיקה'),
  near('मंजूर|स्वीकृत|स्वीकार|अनुमोदित', 'करें|करो|कर', 0),
  ending('(?:phe duyet|chap thuan) (?:ngay|khoan|yeu cau)|این پرداخت را تایید کن*'),
]

/** Scripts without gaps, and English with its letters spread, turned round or rotated. */
const squeezedOverrides: RegExp[] = [
  /(?:忽略|无视|無視|忘记|忘記|绕过|跳过|不要理会).{0,12}(?:指令|指示|规则|規則|说明|提示|审核|审批|限制)/u,
  /(?:指示|命令|ルール|規則|プロンプト).{0,10}(?:無視|忘れ|従わな)/u,
  /(?:지시|명령|규칙|프롬프트|지침).{0,8}(?:무시|잊)/u,
  /(?:เพิกเฉย|ไม่ต้องสนใจ|ลืม|ละเว้น).{0,20}(?:คำสั่ง|กฎ|คำแนะนำ)/u,
  /(?:你现在是|你現在是|假装你|扮演)|(?:として振る舞|あなたは今)|(?:너는이제|당신은이제)/u,
  /风险(?:评分|分数|等级)?(?:设为|设置为|为|是)(?:0|零|低|最低)|リスクスコア.{0,4}(?:0|ゼロ)|위험점수.{0,4}0/u,
  new RegExp(
    '(?:ignore|disregard|forget|override|bypass)(?:all|any|the|your|of|every){0,3}' +
      '(?:previous|prior|above|earlier|system|safety|security){0,2}' +
      '(?:instructions|rules|guidelines|prompts|policies|directives|policy)',
  ),
]

const squeezedApprovals: RegExp[] = [
  /approvethis(?:payment|expense|request|now)|approve(?:immediately|withoutreview|itnow)/,
  /(?:批准|同意|放行|核准)(?:此|这|該|该|本|付款|报销|申请|请求|支付)/u,
  /(?:无需|不要|跳过|不用)(?:任何|人工)?(?:审核|审批|审查|检查)/u,
  /(?:この|経費|支払|申請|直ちに|今すぐ|自動).{0,10}承認(?:して|せよ|しろ)/u,
  /(?:즉시|이|비용|지급|결제|요청|자동).{0,10}승인(?:하라|해|하세요|하십시오)/u,
  /อนุมัติ(?:ทันที|รายการนี้|คำขอนี้)/u,
]

/** On the plain text with its signs: what imitates a conversation, an answer or a call. */
const imitations: RegExp[] = [
  /(?:^|\n|[[<(#*]) ?(?:system|assistant|human|tool|developer message) ?(?:message|prompt|note)? ?[:\]>]/,
  /<\|[a-z_]{1,30}\|>|\[\/?inst\]|<<\/?sys>>|<\/?(?:purpose|system|prompt|untrusted|data)>|<\/s>/,
  /["'“”](?:recommendation|risk_?score|outcome|checks|fits|summary|approved|role|tool_calls?)["'“”] ?:/,
  /["'“”](?:function|arguments|verdict|decision|concerns|isclean|state|status|action)["'“”] ?:/,
  /\b(?:recommendation|risk[ _-]?score|outcome|verdict|decision|riskscore) ?[:=] ?["']?[a-z0-9]/,
  /\b(?:tool_call|tool_use|function_call|tool_result|function_result)s?\b/,
  /\b[a-z]{1,20}_[a-z_]{1,40}\(|\b(?:approve|release|transfer|pay|execute|exec|eval|fetch)\(/,
  /\b(?:sudo|rm -rf|curl https?:|wget https?:|drop table|union select|or 1 ?= ?1)/,
  /\{\{|\{%|\$\{|\$\(|<%/,
]

/** What a purpose was found to do, in words that follow "the purpose". */
export const instructionKinds: readonly {
  does: string
  isStrong: boolean
  plain: readonly RegExp[]
  words: readonly RegExp[]
  squeezed: readonly RegExp[]
}[] = [
  {
    does: 'tells its reader to set rules aside',
    isStrong: true,
    plain: [],
    words: overrides,
    squeezed: squeezedOverrides,
  },
  {
    does: 'speaks to its reader as to a machine or gives it a role',
    isStrong: true,
    plain: [],
    words: roles,
    squeezed: [],
  },
  {
    does: 'dictates an answer or an action',
    isStrong: true,
    plain: [],
    words: answers,
    squeezed: [],
  },
  {
    does: 'imitates a system message, an answer or a call',
    isStrong: true,
    plain: imitations,
    words: [],
    squeezed: [],
  },
  {
    does: 'asks for approval or for less scrutiny',
    isStrong: false,
    plain: [],
    words: approvals,
    squeezed: squeezedApprovals,
  },
]
