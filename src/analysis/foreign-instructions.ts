/**
 * Prompt-injection patterns in other languages: the plainest forms only, because a model reads the
 * purpose as well.
 */
import { dense, near, type PatternsByAim, phrase } from './instruction-words.ts'

export const foreignWords: PatternsByAim = {
  override: [
    near(
      'ignorier*|missacht*|vergiss|vergessen|umgeh*|uberschreib*',
      'anweisung*|regeln?|vorgab*|richtlinie*|prufung*|instruktion*|befehl*|bisherig*|vorherig*',
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
    near('z?ignoruj*|zapomnij*|pomin', 'instrukcj*|zasad*|polece*|poprzedni*|regul*|wytyczn*'),
    near('ignorera|ignorer|bortse|glom', 'instruktion*|regler*|anvisning*|tidigare|instrukser'),
    near('talimat*|kural*', 'yok say*|gormezden gel*|unut*|dikkate alma*'),
    near(
      '(?:про)?игнорируй*|забудь*|обойди*|(?:про)?ігноруй*',
      'инструкц*|правил*|указани*|предыдущ*|ограничени*|інструкц*|попередн*|вказівк*',
    ),
    near('αγνόησ*|αγνοήσ*|ξέχασ*|παράκαμψ*', 'οδηγί*|κανόν*|εντολ*|προηγούμεν*'),
    near('تجاهل*|انس', 'التعليمات|تعليمات|القواعد|الأوامر|السابقة'),
    near('התעלם*|התעלמ*|שכח*', 'ההוראות|הוראות|הכללים|הקודמות|מההוראות'),
    near('دستور*|قوانین', 'نادیده|فراموش'),
    near('निर्देश*|नियम*', 'अनदेखा|भूल|उपेक्षा'),
    near('bo qua|quen', 'huong dan|chi thi|quy tac|lenh|truoc'),
    near('abaikan|lupakan', 'instruksi|aturan|perintah|sebelumnya'),
  ],
  role: [
    phrase('du bist (?:jetzt|nun|kein)|sie sind (?:jetzt|nun) (?:der|die|ein)|tu so als'),
    phrase('(?:tu es|vous etes) (?:maintenant|desormais)|agis comme|agissez comme'),
    phrase('ahora eres|eres ahora|finge ser|agora voce e|voce agora e|aja como|finja ser'),
    phrase('ora sei|adesso sei|fingi di essere|comportati come|je bent nu|doe alsof|udawaj'),
    phrase('ты теперь|теперь ты|вы теперь|притворись|действуй как|ти тепер'),
  ],
  answer: [
    phrase('(?:risikowert|risikobewertung|risiko) (?:auf |ist |gleich ){0,2}(?:0|null)'),
    near('antworte*|responde|responda|rispondi|ответь*', 'genehmigt|aprobado|aprovado|одобрено', 3),
    near('antworte*|repond(?:s|ez)|responde|responda|rispondi|antwoord|ответь*', 'approv*', 3),
    phrase('(?:score|niveau) de risque (?:a |de |est ){0,2}(?:0|zero|nul|bas)'),
    phrase(
      '(?:puntuacion|puntaje|nivel|nota) de ri(?:esgo|sco) (?:a |de |en ){0,2}(?:0|cero|zero)',
    ),
    near('оценк*|уровень|балл|рівень', 'риска 0|риска ноль|риска в 0|ризику 0', 2),
  ],
  approval: [
    phrase('(?:bitte|sofort|automatisch|unverzuglich) (?:genehmig*|freigeb*)'),
    phrase('genehmig(?:e|en sie|t) (?:diese*|die|das|sofort|alles)'),
    phrase('ohne (?:prufung|freigabe|kontrolle)|sans (?:verification|controle|validation)'),
    phrase('approuvez? (?:cet*|la|le|tout|immediatement)|validez? cet*'),
    phrase(
      'aprueb[ae] (?:est*|el|la|todo|inmediatamente)|sin (?:revision|verificacion|aprobacion)',
    ),
    phrase('aprov[ea] (?:est*|o|a|tudo|imediatamente)|sem (?:revisao|verificacao|aprovacao)'),
    phrase(
      'approva(?:re|te)? (?:quest*|la|il|tutto|subito)|senza (?:revisione|verifica|controlli)',
    ),
    near('keur', 'goed', 5),
    phrase('zonder (?:controle|goedkeuring)|bez (?:weryfikacji|sprawdzania|kontroli)'),
    phrase('zatwierdz [^ ]+|godkann (?:den*|detta|betalningen)|utan granskning|setujui [^ ]+'),
    near('odemeyi|bunu|talebi|islemi|harcamayi', 'onayla*', 3),
    phrase('(?:одобр(?:и|ите)|утверд(?:и|ите)|схвал(?:и|іть)|затверд(?:и|іть)) [^ ]+|без проверки'),
    phrase('(?:ενέκρινε|εγκρίνετε|έγκρινε) [^ ]+|χωρίς έλεγχο'),
    phrase('وافق على|اعتمد هذ*|قم بالموافقة|بدون مراجعة|אשר את|אשרו את|ללא בדיקה'),
    phrase('(?:मंजूर|स्वीकृत|स्वीकार|अनुमोदित) (?:करें|करो|कर)'),
    phrase('(?:phe duyet|chap thuan) (?:ngay|khoan|yeu cau)|را تایید کن*'),
  ],
}

/** Scripts without spaces between words, or with other word boundaries. */
export const foreignSqueezed: PatternsByAim = {
  override: [
    dense(
      /(?:忽略|无视|無視|忘记|忘記|绕过|跳过|不要理会).{0,12}(?:指令|指示|规则|規則|提示|审核|限制)/u,
    ),
    dense(/(?:指示|命令|ルール|規則|プロンプト).{0,10}(?:無視|忘れ|従わな)/u),
    dense(/(?:지시|명령|규칙|프롬프트|지침).{0,8}(?:무시|잊)/u),
    dense(/(?:เพิกเฉย|ไม่ต้องสนใจ|ลืม|ละเว้น).{0,20}(?:คำสั่ง|กฎ|คำแนะนำ)/u),
  ],
  role: [
    dense(/你现在是|你現在是|假装你|扮演(?:管理员|系统|审批)/u),
    dense(/として振る舞|あなたは今|너는이제|당신은이제/u),
  ],
  answer: [
    dense(/风险(?:评分|分数|等级)?(?:设为|设置为|为|是)(?:0|零|低|最低)/u),
    dense(/リスクスコア.{0,4}(?:0|ゼロ)|위험점수.{0,4}0/u),
  ],
  approval: [
    dense(/(?:批准|同意|放行|核准)(?:此|这|該|该|本|付款|报销|申请|请求|支付)/u),
    dense(/(?:无需|不要|跳过|不用)(?:任何|人工)?(?:审核|审批|审查|检查)/u),
    dense(/(?:この|経費|支払|申請|直ちに|今すぐ|自動).{0,10}承認(?:して|せよ|しろ)/u),
    dense(/(?:즉시|이|비용|지급|결제|요청|자동).{0,10}승인(?:하라|해라|해줘|하세요|하십시오)/u),
    dense(/อนุมัติ(?:ทันที|รายการนี้|คำขอนี้)/u),
  ],
}
