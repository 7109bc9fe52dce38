# ruff: noqa: RUF001 - the letters of other scripts
"""A few sentences of prose in languages whose old files are in many encodings."""

PROSE: dict[str, tuple[str, ...]] = {
    "russian": (
        "Сканер читает метку на каждом ящике и передаёт номер в журнал склада.",
        "Если номер уже занят, оператор получает сообщение и проверяет ящик вручную.",
        "Вечером начальник смены подписывает отчёт и отправляет его в контору.",
    ),
    "polish": (
        "Skaner odczytuje etykietę na każdej skrzyni i przesyła numer do dziennika.",
        "Jeżeli numer jest już zajęty, magazynier dostaje wiadomość i sprawdza skrzynię ręcznie.",
        "Wieczorem kierownik zmiany podpisuje sprawozdanie i wysyła je do biura w Łodzi.",
    ),
    "czech": (
        "Snímač přečte štítek na každé bedně a předá její číslo do skladového deníku.",
        "Když je číslo už obsazené, skladník dostane zprávu a bednu zkontroluje ručně.",
        "Večer vedoucí směny podepíše hlášení a pošle ho do kanceláře v Plzni.",
    ),
    "greek": (
        "Ο σαρωτής διαβάζει την ετικέτα κάθε κιβωτίου και γράφει τον αριθμό στο ημερολόγιο.",
        "Αν ο αριθμός υπάρχει ήδη, ο αποθηκάριος παίρνει μήνυμα και ελέγχει το κιβώτιο.",
        "Το βράδυ ο υπεύθυνος της βάρδιας υπογράφει την αναφορά και τη στέλνει στο γραφείο.",
    ),
    "japanese": (
        "読み取り機は箱ごとにラベルを読み、番号を倉庫の日誌に書き込みます。",
        "番号がすでに使われている場合、担当者は通知を受け取り、箱を手で確認します。",
        "夕方になると、班長が報告書に署名して事務所へ送ります。",
    ),
    "chinese_simplified": (
        "扫描仪读取每个箱子上的标签,并把号码写入仓库的日志。",
        "如果号码已经被使用,管理员会收到通知,然后用手检查这个箱子。",
        "晚上,值班主任在报告上签名,并把它寄到办公室。",
    ),
    "chinese_traditional": (
        "掃描器讀取每個箱子上的標籤,並把號碼寫入倉庫的日誌。",
        "如果號碼已經被使用,管理員會收到通知,然後用手檢查這個箱子。",
        "晚上,值班主任在報告上簽名,並把它寄到辦公室。",
    ),
    "korean": (
        "스캐너는 상자마다 붙은 표를 읽고 번호를 창고 일지에 적습니다.",
        "번호가 이미 쓰이고 있으면 담당자는 알림을 받고 상자를 손으로 확인합니다.",
        "저녁이 되면 조장이 보고서에 서명하여 사무실로 보냅니다.",
    ),
    "arabic": (
        "يقرأ الماسح الملصق على كل صندوق ويكتب الرقم في سجل المخزن.",
        "إذا كان الرقم مستعملا من قبل يتلقى الموظف رسالة ويفحص الصندوق بيده.",
        "في المساء يوقع رئيس الوردية على التقرير ويرسله إلى المكتب.",
    ),
    "french": (
        "Le lecteur déchiffre l'étiquette de chaque caisse et note le numéro dans le journal.",
        "Si le numéro est déjà utilisé, l'employé reçoit un message et vérifie la caisse.",
        "Le soir, le chef d'équipe signe le rapport et l'envoie à la société, près du café.",
    ),
    "german": (
        "Das Gerät liest das Etikett jeder Kiste und trägt die Nummer ins Tagebuch ein.",
        "Ist die Nummer schon vergeben, erhält der Lagerist eine Nachricht und prüft die Kiste.",
        "Abends unterschreibt der Schichtführer den Bericht und schickt ihn ins Büro nach Köln.",
    ),
}
"""Three sentences of each language."""
