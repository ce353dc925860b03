"""Plots, step by step: each step has some forms. See `grammar.py` for the marks."""

FALLEN_STAR = [
    [
        "one night, a [little|tiny] star fell from the sky and landed near {P1}.",
        "{H} looked up and saw something fall from the sky. it was a little star.",
        "near {P1}, {H} found something that [shone|glowed] in the grass. it was a star, and it was crying.",
    ],
    [
        "\"i fell down,\" said the star. \"i want to go home.\"",
        "\"why are you crying?\" asked {H}. \"i cannot get back to the sky,\" said the star.",
        "\"are you hurt?\" asked {H}. \"no,\" said the star, ~\"but i am so far from home.\"",
    ],
    [
        "\"i will help you,\" said {H}. {He_} climbed the highest [tree|hill], but it was not high enough.",
        "{H} threw the star up, as high as {he} could, but it fell down again.",
        "they asked the <helper>, and they asked the <helper>, but nobody knew the way to the sky.",
    ],
    [
        "{F} brought a ladder. it was [too short|much too short].", "\"maybe the wind can help,\" said {F}, but the wind was asleep.",
        "\"maybe a bird can carry you,\" said {H}. but the star was too hot to hold.",
    ],
    [
        "the star grew pale. \"soon it will be morning,\" it whispered.", "the star's light was getting weaker and weaker.",
        "time went by, and the night was almost over.",
    ],
    [
        "then {H} had an idea. \"a kite!\" {he} <cried>.", "\"everyone come here!\" called {H}. one stood on top of another, higher and higher.",
        "\"what do stars like?\" asked {H}. \"songs,\" said the star. so they all sang, and the star grew light as a feather.",
    ],
    [
        "up, up, up it went, until it touched the sky.", "slowly the star rose over the trees, over the hills, and up to the moon.",
        "and then it was back in its place, [brighter than before|shining down].",
    ],
    [
        "\"thank you!\" it called. since then, it has always [winked at {H}|shone a little brighter above {P1}].",
        "every night, {H} looks up and says, \"good night, little star.\"", "and {H} knew that {he} had a friend in the sky.",
    ],
]

LOST = [
    [
        "one [day|<tod>], {H} could not find {his} {=colour} {=toy}.", "then {H} saw that {his} {=colour} {=toy} was [gone|missing].",
        "but oh! {His_} favourite {=toy} was [gone|not there|nowhere to be seen].",
        "\"where is my {=toy}?\" {H} <cried> one <tod>. it was {=colour}, and {he} loved it very much.",
    ],
    [
        "{He_} looked [under the bed|behind the door|in {P1}|in every box|everywhere], but it was not there.",
        "{He_} looked here and {he} looked there, but the {=toy} was nowhere.",
        "first {he} looked near {P1}. then {he} looked near {P2}. there was no {=toy}.",
        "{H} felt <badfeel>. how could a {=toy} just [disappear|walk away]?",
    ],
    [
        "{He_} asked {F}, \"have you seen my {=toy}?\" \"no,\" said {F}, ~\"but i will help you look.\"",
        "{H} went to {aF}. \"my {=toy} is gone,\" {he} said. \"[can you help me|will you help me|please help me to find it]?\" \"of course,\" said {F}.",
        "on the way, {he} met {aF}. \"why are you so sad?\" asked {F}. \"i lost my {=toy},\" said {H}. \"let us look for it together,\" said {F}.",
    ],
    [
        "together they [went to|walked to|ran to|searched near] {P2}. they found [an old shoe|a shiny stone|a nut|a lost glove|nothing at all|a sleeping cat], but no {=toy}.",
        "they asked a <helper>, but the <helper> [had not seen it|only shook {ehis} head|was asleep].",
        "they looked [under every stone|behind every tree|in every corner] until it was [evening|almost dark|time for supper].", "",
    ],
    [
        "at last, {F} pointed to {P3}. \"look! is that it?\"", "then {F} heard something near {P3}.",
        "suddenly {H} saw something {=colour} near {P3}.",
        "\"wait,\" said {F}. \"where did you play [yesterday|this morning]?\" \"at {P3}!\" <cried> {H}, and they ran there.",
    ],
    [
        "and there it was! a little <smallanimal> was [sleeping in it|playing with it|sitting on it].",
        "there lay the {=toy}, [a little wet|a little dirty|full of leaves], but [safe|not broken].",
        "the wind had [carried|blown] it [up into a tree|into the bushes|there].", "there was the {=toy}, right where {H} had left it.",
    ],
    [
        "{H} [jumped for joy|hugged the {=toy}|laughed out loud|danced around]. \"thank you, {fcall}!\" {he} said. \"i could not have done it [alone|without you].\"",
        "\"i found it! i found it!\" sang {H}. {F} was <goodfeel> too.", "{H} gave {F} a big hug. \"you are a good friend,\" {he} said.",
    ],
    [
        "then they both played with the {=toy} until [the sun went down|it was time to go home|the stars came out].",
        "from then on, {H} [always put it back in its place|took better care of {his} things].", "",
    ],
]

LONELY = [
    [
        "but {H} [had nobody to play with|had no friends|was often lonely|felt alone].", "{H} was new there, and {he} did not know anyone.",
        "all the others had friends, but {H} was [always alone|too shy to speak].",
    ],
    [
        "\"i wish i had a friend,\" {he} [said|thought|sighed|whispered].",
        "{He_} sat near {P1} and [sighed|watched the others play|talked to a stone|sang a sad song].",
        "one <tod>, {he} sat [down near|under a tree by] {P1} and felt <badfeel>.",
    ],
    [
        "[just then|then|one day|suddenly], {aF} came [by|along|around the corner|out of the bushes].",
        "then {he} heard a [small|soft|friendly] voice. it was {aF}.",
        "near {P2}, {he} met {aF} who was [also alone|crying|looking at the sky|trying to reach an apple].",
    ],
    [
        "\"<hello>,\" said {F}. \"why are you [so sad|sitting here alone|so quiet]?\"",
        "\"<hello>,\" said {F}. \"who are you?\" \"i am {name},\" said the {kind}.",
        "{F} looked at {H}, and {H} looked at {F}. nobody [spoke|moved|said a word]. then both of them laughed.",
    ],
    [
        "\"because i have no one to play with,\" said {H}.", "\"i do not know [any games|anyone here|what to do],\" {H} said [softly|quietly].",
        "{H} was [shy|afraid to speak|surprised], but {he} said, \"would you like to play with me?\"",
    ],
    [
        "\"[i can play with you|then play with me|let us be friends|i am alone too|come with me],\" said {F}, ~\"i know <game>.\"",
        "\"do you like <game>?\" asked {F}. \"yes!\" <cried> {H}. \"i love <game>!\"",
        "\"me too,\" said {F}. \"then we can [be lonely together|be friends]!\"",
    ],
    [
        "they played <game> [all day long|until the evening|near {P3}]. {H} [laughed|had not laughed so much in a long time|forgot that {he} had been sad].",
        "{F} showed {H} {P3}, and {H} showed {F} {his} {=colour} {=toy}.", "they shared <food> and told each other stories.",
    ],
    [
        "\"will you come back tomorrow?\" asked {H}. \"i will come back every day,\" said {F}.",
        "when the sun went down, {F} said, \"see you tomorrow!\" and {H} was <goodfeel>.", "after that, they met [every day|every <tod>] near {P1}.",
    ],
]

AFRAID = [
    [
        "{H} was afraid of the dark. when night came, {he} [hid under the blanket|kept the lamp on|could not sleep].",
        "there was one thing that {H} was afraid of: [thunder|deep water|high places|the dark|big dogs|loud noises].",
        "{H} had never [climbed a tree|crossed the bridge|been to {P3}] before, because {he} was [too|] afraid.",
        "the others often went to {P3}, but {H} [was too afraid|never dared to go].",
    ],
    [
        "\"come on, {call},\" said {F}. \"[it is easy|i will help you|there is nothing to fear|try it]!\" ^but {H} shook {his} head.",
        "\"what if something happens?\" {he} [thought|asked|said].", "{His_} legs shook when {he} only thought of it.",
    ],
    [
        "one <tod>, {H} heard a cry. \"help! help!\" ^it was {aT}.", "then, one <weather> <tod>, a little <smallanimal> did not come home.",
        "but one <tod>, a little <smallanimal> [fell into the water|was in trouble near {P3}|got lost near {P3}].",
    ],
    [
        "there was nobody else to help.", "{H} looked around, but there was no one [else|there].",
        "\"somebody must help,\" thought {H}, ~\"and i am the only one here.\"",
    ],
    [
        "{His_} heart beat fast, but {he} [took a deep breath and went|closed {his} eyes for a moment and then ran|held {his} {=toy} tight and walked] [step by step|straight|all the way] to {P3}.",
        "\"i am afraid,\" {he} said, ~\"but i will go [anyway|all the same].\"", "{H} forgot to be afraid. {He_} ran as fast as {he} could.",
    ],
    [
        "{He_} reached out and pulled as hard as {he} could. it worked!",
        "it was [dark|cold|high|loud], but {H} did not stop. at last {he} reached the place, and soon everyone was safe.",
        "{He_} found a long [stick|rope|branch] and held it out. \"hold on!\" {he} called.",
    ],
    [
        "\"you [saved|helped] me,\" said a small voice. \"you are so brave!\"", "\"thank you,\" {he} heard. \"i thought that nobody would come.\"",
        "everyone clapped and <cried>, \"hurrah for {H}!\"",
    ],
    [
        "\"i was afraid the whole time,\" said {H}. \"that is what brave means,\" said {E}. \"you were afraid, and you did it [anyway|all the same].\"",
        "{H} looked back and laughed. it had not been so [bad|terrible] after all.",
        "after that, {H} was [still a little afraid|not so afraid any more], but {he} knew that {he} could be brave.",
    ],
]

SHARING = [
    [
        "one day, {H} found a [huge|sweet|beautiful] {=treat} near {P1}.", "{E} gave {H} a [big|warm|fresh] {=treat}.",
        "{H} had baked a [big|lovely|round] {=treat}.",
    ],
    [
        "\"this {=treat} is mine,\" said {H}. \"all mine!\"", "it smelled so good. {H} wanted to eat it all by {himself}.",
        "{He_} hid it [behind {P1}|under the bed|in a box], so that nobody could see it.",
    ],
    [
        "then {F} came by. \"that smells good,\" {fhe} said. \"may i have a [bite|little piece]?\"",
        "{aF} came along and looked at the {=treat} with big eyes. \"i have not eaten [today|all day],\" {fhe} said.",
        "soon {aF} knocked at the door. \"i am hungry,\" {fhe} said. \"can you give me something to eat?\"",
    ],
    [
        "\"no,\" said {H}. \"there is not enough for two.\" {F} went away, [sad|hungry|with {fhis} head down].",
        "\"go and find your own,\" said {H}. {F} was <badfeel>.",
        "{H} did not want to share. {He_} [turned away|said no|ran off] and ate [alone|all alone].",
    ],
    [
        "but the {=treat} did not taste [as good as before|good when {he} was alone].",
        "{H} ate and ate until {his} stomach hurt. \"oh,\" {he} groaned, ~\"it was too much for me.\"",
        "then {H} [thought of|remembered] the day when {F} had shared <food> with {him}.",
    ],
    [
        "{H} felt <badfeel>. \"that was not kind of me,\" {he} thought.", "\"what have i done?\" {he} thought. \"{F} is my friend.\"",
        "{He_} looked at what was left and [sighed|thought for a long time].",
    ],
    [
        "so {he} took the rest and ran after {F}. \"wait! i am sorry. please take half.\"",
        "{He_} went to {F} and said, \"i am sorry. let us eat together.\"", "{H} cut the {=treat} in two and gave the bigger half to {F}.",
    ],
    [
        "{F} smiled. \"thank you, {call}.\" they sat down near {P2} and ate together.",
        "\"everything tastes better with a friend,\" said {F}, and {H} [nodded|agreed].",
        "they shared every last bite, and [laughed|talked] until evening.",
    ],
]

HURT = [
    [
        "near {P1}, {H} heard a [soft|small|sad] sound.", "on the way to {P1}, {H} saw something [move|small] in the grass.",
        "\"peep, peep,\" said something behind {P1}.", "{H} almost stepped on something small.",
    ],
    [
        "it was a little {=smallanimal}. it [could not walk|had hurt its foot|was wet and cold|was all alone|had lost its mother].",
        "there lay a {=smallanimal} that [was too weak to move|had fallen down|shook with cold].",
    ],
    [
        "\"do not be afraid,\" {H} [said|whispered]. \"i will [help you|take care of you].\"", "\"you poor little thing,\" said {H}.",
        "{H} knelt down <slowly>. \"[does it hurt|are you hungry|where is your home]?\" {he} asked.",
    ],
    [
        "{He_} [carried|took] it home and made a bed [of soft leaves|out of an old hat|in a box|of warm cloth].",
        "{H} put {his} warm scarf around it and carried it to {E}. \"what should we do?\" {he} asked.",
        "{F} came too, and together they made a little nest of [straw|moss|leaves].",
    ],
    [
        "every day, {H} gave it [water and <food>|something to eat|warm milk] and told it stories.",
        "\"it needs rest,\" said {E}, ~\"and someone who loves it.\" so {H} sat beside it all night.",
        "{H} [washed its foot|sang to it|gave it a drop of honey] and stayed until it fell asleep.",
    ],
    [
        "day by day, the {=smallanimal} grew stronger.", "after [a week|three days|some time], it could [stand|jump|run] again.",
        "one morning, the {=smallanimal} [jumped onto {his} bed|opened its eyes and looked at {him}|was well again].",
    ],
    [
        "then it was time to say goodbye. {H} opened the door. \"[be well|go home|come and see me], little friend,\" {he} said.",
        "\"you are free now,\" said {H}, and {he} tried not to cry.", "its mother was waiting near {P1}. how happy they were!",
    ],
    [
        "the {=smallanimal} looked back once and then [ran away|was gone].",
        "but the next <season>, it came back [to say thank you|and brought its children|with a shiny <treasure>].",
        "since that day, the {=smallanimal} came to visit every [morning|evening|<season>].", "{H} waved until {he} could not see it any more.",
    ],
]

STRAY = [
    [
        "one day, {E} said, \"do not go [too far|past {P2}|into {P3}].\" \"i will not,\" said {H}.",
        "\"stay near {P1},\" {E} always said, but {H} did not listen.",
        "{H} [followed a butterfly|ran after a rolling {=toy}|followed a strange sound|wanted to see what was behind {P1}] and forgot the time.",
    ],
    [
        "{He_} walked and walked, past {P1} and past {P2}.", "step by step, {he} went farther and farther from home.",
        "\"just a little farther,\" {he} thought, again and again.",
    ],
    [
        "when {he} [looked around|stopped at last|wanted to go home], nothing looked the same.", "then {he} saw that {he} was lost.",
        "soon [it grew dark|fog came up|it began to rain], and {H} did not know the way home.",
    ],
    [
        "\"hello?\" {he} called. \"is anyone there?\" ^[only the wind answered|nobody answered].",
        "{He_} sat down [on a stone|under a tree] and began to cry.", "\"i want to go home,\" {he} whispered. {He_} felt very small.",
    ],
    [
        "\"who is crying there?\" asked a [deep|kind|soft] voice. it was {aT}.", "then a little light came nearer. it was {aT} with a lantern.",
        "{aT} came [out of the dark|along the path] and looked at {him}. \"you are not from here, are you?\"",
    ],
    [
        "\"i am lost,\" said {H}. \"i live {home}.\"",
        "{H} was afraid at first, but {T} had kind eyes. \"please, do you know the way to {P1}?\" {he} asked.",
    ],
    [
        "\"do not worry,\" said {T}. \"[follow me|i know the way|i will bring you home|hold my hand].\"",
        "\"look at that bright star,\" said {T}. \"it shows the way home. come, i will walk with you.\"",
        "\"everyone gets lost sometimes,\" said {T}. \"come.\"",
    ],
    [
        "they walked [side by side|through the dark|along the river], and {T} [sang a song|told a funny story|was not in a hurry].",
        "on the way, they [shared an apple|counted the stars|talked about many things].", "",
    ],
    [
        "at last, {H} saw [the light in the window|{P1}|{his} home]. {E} [ran out|stood in the door|was waiting] and took {him} in {ehis} arms.",
        "\"there you are!\" <cried> {E}. \"i was so worried.\"",
    ],
    [
        "\"i am sorry,\" said {H}. \"i will [listen next time|never go so far alone again].\"",
        "{T} stayed for supper, and there was <food> for everyone.", "{H} thanked {T}, and {T} [waved|smiled and went back into the night].",
    ],
]

BUILD = [
    [
        "{H} wanted to build a {=build}.", "one <tod>, {H} had an idea. \"i will build a {=build}!\" {he} said.",
        "\"i have always wanted a {=build},\" said {H}. \"so i will make one.\"",
    ],
    [
        "{He_} collected {=material} and [string|nails|glue|rope] and [began|started] to work.",
        "{He_} took some {=material} and worked all morning.", "for three days, {he} [hammered|worked|measured|carried {=material}].",
    ],
    [
        "\"what are you doing?\" asked {F}. \"i am building a {=build} out of {=material},\" said {H}.",
        "{F} came by and laughed. \"a {=build} out of {=material}? that will never work!\"", "everyone came to look. \"what is that?\" they asked.",
    ],
    [
        "but then [the wind came|it began to rain|{H} sneezed|someone bumped into it], and crash! the {=build} fell down.",
        "but when {H} tried it for the first time, it broke [in two|into pieces].",
        "the first {=build} was [too small|too heavy|too weak]. it fell apart.",
    ],
    [
        "{H} [was <badfeel>|sat down and sighed|wanted to give up]. \"i cannot do it,\" {he} said.",
        "\"oh no!\" {he} <cried>. \"all that work for nothing!\"", "{H} looked at the pieces and [felt <badfeel>|nearly cried].",
    ],
    [
        "\"do not give up,\" said {F}. \"let us try again together.\"", "\"i am sorry that i laughed,\" said {F}. \"may i help?\"",
        "then {E} said, \"what did you learn?\" {H} thought. \"it must be stronger at the bottom,\" {he} said.",
    ],
    [
        "so they started again. {H} [held the {=material}|drew a plan], and {F} [tied the knots|brought more {=material}].",
        "this time, they [worked slowly|used more {=material}|made it wider], and they [checked every corner|did not hurry].",
        "they tried a second time and a third time.",
    ],
    [
        "and this time, it [worked|held]! the {=build} was [finished|ready|wonderful].",
        "in the evening, the {=build} stood there, [strong|tall|crooked but strong], and it did not fall.",
        "at last it was done. it was not perfect, but it was [theirs|good].",
    ],
    [
        "\"we did it!\" they <cried>.", "\"it is the best {=build} in the world,\" said {H}.", "everyone wanted to try it, and {H} was <goodfeel>.",
        "{H} and {F} [sat down in front of it|looked at it proudly] and ate <food>.",
    ],
]

SEED = [
    [
        "one <tod> in spring, {H} found a [tiny|little|strange] seed near {P1}.",
        "{E} gave {H} a [tiny|small|round] seed. \"take good care of it,\" {ehe} said.",
        "{aT} gave {H} a seed. \"[wait and see|plant it],\" said {T}.",
    ],
    [
        "{He_} [dug a little hole|put it into the ground|planted it in a pot] and gave it water.",
        "\"what will it become?\" {he} wondered. {He_} planted it beside {P1}.",
    ],
    [
        "every morning, {he} looked. nothing! only [earth|brown earth].", "the next day, {H} ran to look, but there was nothing to see.",
        "one day went by, then two, then three. nothing happened.",
    ],
    [
        "\"grow!\" said {H}. but the seed did not [listen|grow any faster].", "{He_} sang to it, {he} danced for it, and {he} told it stories.",
        "\"maybe it is [asleep|a bad seed],\" said {F}.", "\"why does it take so long?\" {he} asked {E}. \"good things take time,\" said {E}.",
    ],
    [
        "{H} wanted to dig it up, but {F} said, \"wait. it needs time.\"", "the rain came, and the sun came, and {H} [waited|did not give up].",
        "so {H} gave it water every day and waited.",
    ],
    [
        "then, one <weather> morning, there was a tiny green [leaf|tip].",
        "at last, something green [came out of|looked out of] the earth. \"it is alive!\" <cried> {H}.",
    ],
    [
        "it grew and grew, [as high as {his} knee|as tall as {H}|up to the roof].",
        "first there were two leaves, then four, and then a {=colour} [bud|flower].", "week after week, it became [bigger|taller|stronger].",
    ],
    [
        "in summer, it was a [beautiful|wonderful] {=flower}, and the bees came to visit.",
        "in autumn, it was full of [apples|berries|beans|pumpkins], enough for everyone.", "it became a tree, and {H} and {F} sat in its shade.",
    ],
    [
        "\"you see?\" said {E}. \"you only had to wait.\"", "{H} gave a [flower|seed] to {F}. \"plant it,\" {he} said, ~\"and be patient.\"",
        "{H} had never been so proud.",
    ],
]

BROKEN = [
    [
        "one <tod>, {H} played <game> in the house, although {E} had said, \"not [inside|in here]!\"",
        "{H} was running [through the house|around the table] when it happened.", "{H} only wanted to look at the [old|beautiful] {=vase}.",
    ],
    [
        "crash! the {=vase} of {E} fell down and broke.",
        "{He_} bumped into the table, and the {=vase} fell to the floor. it broke into [three|a hundred|many] pieces.",
        "it slipped out of {his} hands. oh no! the {=vase} was broken.",
    ],
    [
        "{H} [looked around|stood very still|held {his} breath]. nobody had seen it.",
        "\"what should i do?\" {he} thought. quickly, {he} hid the pieces [under the bed|behind the curtain|in a box].",
        "{He_} swept up the pieces and hid them.",
    ],
    [
        "in the evening, {E} asked, \"where is my {=vase}?\" \"i do not know,\" said {H}, and {his} face grew hot.",
        "\"who broke my {=vase}?\" asked {E}. \"maybe it was the [cat|wind],\" said {H}.",
        "\"have you seen my {=vase}?\" asked {E}. {H} only shook {his} head.",
    ],
    [
        "that night, {H} could not sleep. {His_} stomach felt [heavy|like a stone].",
        "{H} was not hungry at supper. the lie sat in {his} stomach like a stone.",
        "{H} felt <badfeel>. {He_} told {F} everything. \"you must tell the truth,\" said {F}.",
    ],
    [
        "in the morning, {he} went to {E}. \"i broke it,\" {he} said [softly|and began to cry]. \"and i lied. i am sorry.\"",
        "at last, {he} got up and said, \"it was not the cat. it was me.\"",
        "{H} took the pieces and showed them to {E}. \"i am so sorry,\" {he} said.",
    ],
    [
        "{E} was quiet for a moment. then {ehe} said, \"thank you for telling me the truth.\"",
        "{E} took {his} hand. \"i am sad about the {=vase},\" {ehe} said, ~\"but i am glad that you told me.\"",
        "\"that was brave,\" said {E}. \"a {=vase} can be mended. trust is harder to mend.\"",
    ],
    [
        "together they [mended it with glue|glued the pieces together|made a new one].",
        "{H} [helped to clean up|worked in the garden all day to make up for it].",
        "now the {=vase} has a crack, and {H} [smiles when {he} sees it|always remembers that day].",
    ],
]

GIFT = [
    ["the next day was {F}'s birthday.", "it was almost {E}'s birthday, and {H} had no present.", "{H} wanted to give {F} a [present|surprise]."],
    [
        "\"what can i give?\" {he} wondered. {He_} had no money.", "{He_} wanted to find something special.",
        "{H} looked into {his} box, but there was only [a button and a string|an old sock|a dry leaf].",
    ],
    [
        "{He_} went to {P1} and looked for something [nice|pretty]. there were only [stones|leaves|sticks].",
        "{He_} tried to bake a <treat>, but it came out [black|flat|hard as a stone].",
        "{He_} tried to paint a picture, but the paint [ran|spilled] everywhere.",
    ],
    ["\"oh dear,\" said {H}, and {he} felt <badfeel>.", "\"nothing is good enough,\" {he} sighed.", "time was running out."],
    ["then {aT} said, \"what does your heart say?\"", "\"the best gifts cannot be bought,\" said {aT}.", "then {H} had an idea."],
    [
        "all night long, {he} worked and worked.",
        "{H} made a [song|little book|crown of flowers|lantern|necklace of shells|blanket of many colours].",
        "{He_} [collected the most beautiful leaves|made up a story|learned a song by heart].",
    ],
    [
        "the next day, everyone came with big [boxes|presents]. {H} had only something small in {his} hands.",
        "the day came. {H} was nervous. \"it is not much,\" {he} said.", "{H} stood at the door. {His_} heart beat fast.",
    ],
    [
        "\"did you make this [yourself|for me]? it is the best present of all!\"",
        "\"it is wonderful,\" {he} heard. \"nobody ever made me anything like it.\"",
        "there was silence. then there was a big smile. \"this is the best present i ever got.\"",
    ],
    [
        "they [sang|danced|ate <food> and laughed] until late at night.", "{H} was so <goodfeel> that {he} [danced|could have danced all night].",
        "and there was <food> for everyone.",
    ],
]

RACE = [
    [
        "{F} was very [fast|strong|loud] and told everyone about it. \"i am the best!\" {fhe} [said|boasted] every day.",
        "one day, there was a race [around {P1}|to {P2} and back|from {P1} to {P2}].",
        "\"let us race to {P2},\" said {F}. \"but you are too slow, {call}.\"",
    ],
    [
        "\"i will try,\" said {H}. everyone laughed.", "\"you will never win,\" said the others, but {H} [only smiled|did not listen].",
        "{H} had never [won|run] a race before.",
    ],
    ["\"ready, steady, go!\" <cried> {T}.", "{aT} rang a bell, and they were off.", "one, two, three, and they ran."],
    [
        "{F} ran ahead and [was soon out of sight|laughed at the others|did not even look back].", "at first, {F} was far in front.",
        "{H} was the last one, but {he} kept going, step by step.",
    ],
    [
        "\"i have so much time,\" thought {F}, and {fhe} [lay down to rest|stopped to eat berries|talked to everyone on the way].",
        "near {P2}, {F} [fell into a ditch|stepped on a thorn|took the wrong path].", "then {F} tripped over a root and hurt {fhis} foot.",
    ],
    [
        "{H} went on and on. {He_} passed {P1}, and {he} passed {P2}.", "{H} saw it and stopped. \"are you hurt?\" {he} asked.",
        "when {H} came by, {he} [could have won|saw that {F} needed help]. {He_} stopped and helped {F} up.",
    ],
    [
        "they reached the end [together|side by side], and everyone clapped.", "{H} crossed the line first! nobody could believe it.",
        "slowly, {he} came to the end, and {he} was [not the last|the first].",
    ],
    [
        "\"you were [better|faster|kinder] than me,\" said {F}. \"i will never laugh at you again.\"",
        "\"winning is nice,\" said {H}, ~\"but a friend is nicer.\"",
        "{F} was ashamed. \"can you show me how you did it?\" \"one step after another,\" said {H}.",
    ],
]

NOISE = [
    [
        "one night, {H} heard a [strange|soft|loud] noise. it was a {=noise} sound.",
        "in the middle of the night, {H} woke up. something was {=noise} [outside|near {P1}|under the window].",
        "\"did you hear that?\" whispered {H}. there was a {=noise} noise near {P1}.",
    ],
    [
        "\"it is [a monster|a ghost|a thief|a dragon],\" {he} thought, and {he} pulled the blanket over {his} head.",
        "{H} listened. there it was again!", "{His_} heart beat fast. who could it be?",
    ],
    [
        "{He_} [woke up|called|ran to] {F}. \"something is out there,\" {he} whispered.",
        "\"let us go and see,\" said {F}. \"together we are brave.\"", "{He_} took a [lamp|candle|lantern] and went <slowly> to the door.",
    ],
    [
        "step by step, they went [outside|down the stairs|to {P1}]. the {=noise} grew louder.",
        "the shadows were [long|black]. an owl called. \"hoo, hoo!\"", "\"who is there?\" called {H}. the {=noise} stopped. then it began again.",
    ],
    [
        "{H} held up the light, and there was [no monster at all|nothing but a little {=smallanimal}].",
        "it was only a {=smallanimal} that [was stuck in a pot|had lost its way|was looking for food|was afraid of the dark].",
        "behind {P1} sat {aT}, who [could not sleep either|was looking for a lost <treasure>|was crying].",
    ],
    [
        "everyone looked at each other. then they all laughed.",
        "\"you frightened me!\" said {H}. \"and you frightened me!\" said the little voice.",
        "\"i am sorry,\" it said. \"i did not want to wake you.\"",
    ],
    [
        "they [gave it some <food>|helped as well as they could], and soon everything was quiet again.",
        "{H} made [warm milk|tea] for everyone, and they sat together until morning.", "\"come in,\" said {H}. \"it is warm inside.\"",
    ],
    [
        "\"the night is not so bad,\" said {H} and yawned.", "after that, {H} was never afraid of strange noises again. well, almost never.",
        "{H} went back to bed and slept until [noon|late in the morning].",
    ],
]

MAGIC = [
    [
        "near {P1}, {H} found an old {=treasure}. it [shone|was warm|sparkled in the sun].",
        "one day, {aT} gave {H} a {=treasure}. \"be careful,\" said {T}. \"it is magic.\"",
        "in {P1} lay a {=treasure} that {H} had never seen before.",
    ],
    [
        "{H} [picked it up|rubbed it|turned it around], and a voice said, \"you have three wishes.\"",
        "\"i wish i had a {=treat},\" {he} said. and there it was, a big {=treat}!",
        "suddenly the {=treasure} began to [glow|hum|speak]. \"what do you wish for?\" it asked.",
    ],
    [
        "\"i want to be [big|the strongest of all|rich|able to fly|invisible]!\" said {H}. [whoosh|puff]! and so it was.",
        "first, {H} wished for [a mountain of <food>|a hundred toys|a golden crown]. and there it was.",
        "{H} did not think for long. \"i wish that it would never be night!\" {he} said.",
    ],
    [
        "at first, it was [fun|wonderful].", "how {he} laughed! [everyone came to see it|it was the best day of {his} life].",
        "\"now i have everything,\" {he} thought.",
    ],
    [
        "but soon {he} was [tired|lonely|bored|not happy any more]. nobody [wanted to play with {him}|knew {him}|came to visit].",
        "but then [the trouble began|everything went wrong]. {F} was [afraid of {him}|sad].",
        "\"you have changed,\" said {F}. \"i liked you better before.\"",
    ],
    [
        "\"this is not what i wanted,\" said {H}.", "{H} thought for a long time. what did {he} really want?",
        "{He_} looked at the {=treasure} and felt <badfeel>.",
    ],
    [
        "\"i wish that everything was [as before|the way it was],\" {he} said.",
        "{He_} had one wish left. \"i want to be {H} again, just a {trait} {kind},\" {he} said.",
        "so {he} used the last wish and [became {himself} again|gave it to {F}].",
    ],
    [
        "the {=treasure} [turned to dust|grew cold|was silent], and everything was [as before|good again].",
        "puff! {H} was {himself} again, and {F} ran up and hugged {him}.",
        "{H} threw the {=treasure} into the [water|deep lake|well] and went home.",
    ],
]

PLOTS = [FALLEN_STAR, LOST, LONELY, AFRAID, SHARING, HURT, STRAY, BUILD, SEED, BROKEN, GIFT, RACE, NOISE, MAGIC]
